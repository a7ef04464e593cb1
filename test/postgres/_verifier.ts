import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto"

/**
 * Returns the stored form of a password (RFC 5803) with one round of hashing: with a password of
 * 128 random bits, 4096 rounds protect nothing and slow down every connection.
 */
export const quickVerifier = (password: string): string => {
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, 1, 32, "sha256")
  const key = (name: string) => createHmac("sha256", salted).update(name).digest()
  const stored = createHash("sha256").update(key("Client Key")).digest("base64")
  return `SCRAM-SHA-256$1:${salt.toString("base64")}$${stored}:${
    key("Server Key").toString("base64")
  }`
}
