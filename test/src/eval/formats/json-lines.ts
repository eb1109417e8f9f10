import { readFileSync } from 'node:fs'

/** Reads one JSON object per line; skips blank lines. @throws Error that names file and line */
export function readJsonLines<Row>(file: string): Row[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, index) => {
      if (line.trim() === '') return []
      try {
        return [JSON.parse(line) as Row]
      } catch (error) {
        throw new Error(`${file}, line ${index + 1} is not JSON`, { cause: error })
      }
    })
}
