import { readFileSync } from "node:fs"
import { join } from "node:path"

/** Commands of the guide that are executed together. */
export interface Block {
  readonly heading: string
  readonly commands: string
  /** What the commands print, in this order: the texts after `# =>`. */
  readonly prints: ReadonlyArray<string>
}

/** Returns the blocks of commands of `app/OPERATIONS.md`, in their order. */
export const guideBlocks = (): ReadonlyArray<Block> => {
  const guide = readFileSync(join(import.meta.dirname, "../../app/OPERATIONS.md"), "utf8")
  return guide.split(/^#+ /mu).slice(1).flatMap((section) =>
    [...section.matchAll(/^```bash\n([\s\S]*?)^```$/gmu)].map(([, commands]) => ({
      heading: section.slice(0, section.indexOf("\n")),
      commands: commands!,
      prints: [...commands!.matchAll(/ # => (.*)$/gmu)].map((match) => match[1]!)
    }))
  )
}
