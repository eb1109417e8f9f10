import { toJson } from './json.ts'

/** What was asked for goes to standard output, everything about it to standard error. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

export function printJson(value: unknown): void {
  print(toJson(value, process.stdout.isTTY ? 2 : undefined))
}

export function note(text: string): void {
  process.stderr.write(`${text}\n`)
}
