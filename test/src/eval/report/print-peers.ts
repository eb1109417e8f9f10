import { MEASURES, type MethodReport } from './report.ts'

const WIDTH = 12

/** Peers side by side, as a table for a terminal; empty if the methods are no peers. */
export function printPeers(methods: readonly MethodReport[]): string {
  const peers = methods.flatMap(({ name, all, peer }) => (peer === undefined ? [] : [{ name, all, peer }]))
  if (peers.length === 0) return ''
  const first = Math.max(...peers.map(({ name }) => name.length)) + 2
  const row = (name: string, ...cells: readonly string[]) =>
    name.padEnd(first) + cells.map((cell) => cell.padStart(WIDTH)).join('')
  return [
    row('', ...MEASURES, 'search p50', 'p95', 'find. p50', 'p95', 'stored/s'),
    ...peers.map(({ name, all: { measures, latencyMs }, peer: { findableMs, storedPerSecond } }) =>
      row(
        name,
        ...MEASURES.map((one) => measures[one].toFixed(3)),
        ms(latencyMs.p50),
        ms(latencyMs.p95),
        ms(findableMs?.p50),
        ms(findableMs?.p95),
        storedPerSecond.toFixed(0),
      ),
    ),
    'find.: from the beginning of a write until a search that found it has answered; – not within 10 s',
  ].join('\n')
}

const ms = (value: number | undefined) => (value === undefined ? '–' : `${value.toFixed(1)} ms`)
