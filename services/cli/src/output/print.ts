import { columnsOf } from './columns.ts'
import { toJson } from './json.ts'
import { wrap } from './wrap.ts'

/** What was asked for goes to standard output, everything about it to standard error; on a terminal in lines that it has room for. */
export function print(text: string): void {
  printRaw(wrap(text, columnsOf(process.stdout)))
}

export function printJson(value: unknown): void {
  printRaw(toJson(value, process.stdout.isTTY ? 2 : undefined))
}

/** As it is, such as JSON in which no line may be broken. */
export function printRaw(text: string): void {
  process.stdout.write(`${text}\n`)
}

export function note(text: string): void {
  noteRaw(wrap(text, columnsOf(process.stderr)))
}

/** As it is. */
export function noteRaw(text: string): void {
  process.stderr.write(`${text}\n`)
}
