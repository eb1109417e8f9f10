import { columnsOf } from './columns.ts'
import { toJson } from './json.ts'
import { wrap } from './wrap.ts'

/**
 * Prints a result to standard output, wrapped to the terminal. Messages about it go to standard error
 * (`note`).
 */
export function print(text: string): void {
  printRaw(wrap(text, columnsOf(process.stdout)))
}

/** Prints a value as indented JSON to standard output, safe on a terminal. */
export function printJson(value: unknown): void {
  printRaw(toJson(value, process.stdout.isTTY ? 2 : undefined))
}

/** Prints text unchanged, such as JSON, whose lines must not be broken. */
export function printRaw(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Prints a message to standard error, wrapped to the terminal. */
export function note(text: string): void {
  noteRaw(wrap(text, columnsOf(process.stderr)))
}

/** Prints a message unchanged. */
export function noteRaw(text: string): void {
  process.stderr.write(`${text}\n`)
}
