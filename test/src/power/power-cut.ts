import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Cut } from './forgetful-disk.ts'

/** When and how a daemon's database loses its power. */
export interface PowerCut {
  /** Of the database. Absolute. */
  readonly folder: string
  /** Decides what stays of what was not synced. */
  readonly seed: number
  /** The operation of the disk since the start before which it comes; without it, it waits for a signal. */
  readonly operation?: number
  /** How many operations after the signal it comes. */
  readonly afterSignal: number
  /** The file that says what it did. */
  readonly report: string
}

/** What a power cut says that it did. */
export interface PowerCutReport extends Cut {
  readonly operation: number
}

/** @param when without `operation`, `SIGUSR2` to the database's process begins it */
export function powerCut(
  dataDir: string,
  when: Pick<PowerCut, 'seed' | 'operation' | 'afterSignal'>,
): PowerCut {
  return { folder: join(dataDir, 'postgres'), report: join(dataDir, 'power-cut.json'), ...when }
}

/**
 * Bundles what makes a database die of a power cut: with the TypeScript loader instead, each start of one would take another .8 s of CPU time.
 * @param folder where the bundle is made
 * @returns a function that gives the environment of a daemon that dies of a power cut
 */
export async function preparePowerCuts(
  folder: string,
): Promise<(cut: PowerCut) => Readonly<Record<string, string>>> {
  // JavaScript, so typed nowhere.
  const { bundleFiles } = (await import('../../../scripts/bundle.mjs' as string)) as {
    bundleFiles: (entries: Record<string, string>, outdir: string) => Promise<unknown>
  }
  await bundleFiles({ die: join(import.meta.dirname, 'die-of-a-power-cut.ts') }, folder)
  return (cut) => ({
    NODE_OPTIONS: `--import ${new URL('./preload.mjs', import.meta.url).href}`,
    DAYBOOK_TEST_POWER_BUNDLE: pathToFileURL(join(folder, 'die.js')).href,
    DAYBOOK_TEST_POWER: JSON.stringify(cut),
  })
}

/** What the cut did, once; null if it did not come. */
export function takeReport({ report }: PowerCut): PowerCutReport | null {
  if (!existsSync(report)) return null
  const done = JSON.parse(readFileSync(report, 'utf8')) as PowerCutReport
  rmSync(report)
  return done
}
