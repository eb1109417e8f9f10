import { age } from '@daybook/memory/age'
import { safeLine } from '@daybook/memory/safe-text'
import type { Generation } from '../client/generations.ts'
import { size } from '../output/size.ts'
import { spoken } from '../output/spoken.ts'
import { table } from '../output/table.ts'

/** A table with one line per generation, over all projects. */
export function generationsTable(generations: readonly Generation[], now: number): string {
  return table(
    ['projection', 'generation', 'status', 'lag', 'parked', 'size', 'made', 'model'],
    generations.map((one) => [
      spoken(one.projection),
      one.generation,
      spoken(one.status),
      one.lag,
      one.parked,
      one.bytes === null ? '-' : size(one.bytes),
      age(one.createdAt, now),
      safeLine(one.model),
    ]),
  )
}
