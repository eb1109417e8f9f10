import { type McpFuzzOptions, runMcpFuzz } from './run.ts'

/** Runs random calls and prints what happened. @returns what must not be */
export async function printRun(options: Omit<McpFuzzOptions, 'report'>): Promise<readonly string[]> {
  console.log(`  seed ${options.seed}`)
  const run = await runMcpFuzz({ ...options, report: (line) => console.log(`  ${line}`) })
  const megabytes = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(0)} MB`
  console.log(
    `  ${run.calls} calls, ${run.succeeded} succeeded, ${run.told} writes told, ${run.kills} kills, ${run.faults.length} faults`,
  )
  console.log(`  the daemon's heap at the end: ${run.heap.map(megabytes).join(', ')}`)
  for (const [name, [before, now]] of Object.entries(run.memory))
    console.log(`  ${name}: ${megabytes(before)}, at the end ${megabytes(now)}`)
  return run.faults
}
