import { startTypesenseDouble } from '@daybook/typesense-double/start-typesense-double'

/**
 * Runs the test double of Typesense as a process, until SIGTERM or SIGINT:
 *
 * ```sh TYPESENSE_API_KEY=test npx tsx test/src/typesense-double/main.ts [port, default 8108] [file to keep
 * its data in] ```
 *
 * Prints its URL once it answers.
 */
const [port = '8108', dataFile] = process.argv.slice(2)
const double = await startTypesenseDouble({
  port: Number(port),
  apiKey: process.env.TYPESENSE_API_KEY ?? 'test',
  ...(dataFile === undefined ? {} : { dataFile }),
})
process.stdout.write(`${double.url}\n`)

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => {
    double.stop().catch((error: unknown) => {
      process.stderr.write(`The double did not stop cleanly: ${String(error)}\n`)
      process.exitCode = 1
    })
  })
