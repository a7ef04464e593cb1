import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto"

/**
 * What PostgreSQL keeps of a password, RFC 5803, with one round of hashing: against a password of 128 random bits 4096 of them protect
 * nothing, and every connection of every test would go through them.
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
