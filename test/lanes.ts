import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Matches tests that need more than their own thread: servers, processes, models, mocks of modules, the
 * environment. A test that this overlooks runs as a unit test and shares a thread with others; that is its
 * only effect.
 */
const NEEDS_MORE =
  /\/testing\/|\/support\/|typesense-double|_DATABASES|child_process|worker_threads|minilm|listen\(|createServer|vi\.(?:mock|stub|useFakeTimers)|process\.(?:env|umask|chdir)|\/(?:chaos|crash|reindex|rows)\/|src\/eval\/(?:bundled|daybook|peers)\b/u

/**
 * What a test says that changes more of its process than its own: mocks, clocks, spies, the environment (reading it changes nothing),
 * models in worker threads. All others of a lane can share what they import, which for the parts of a server takes each file 1.2 s of CPU
 * time.
 */
const CHANGES_ITS_PROCESS =
  /vi\.(?:mock|stub|spyOn|useFakeTimers|setSystemTime)|process\.(?:umask|chdir|on\()|process\.env(?:\.\w+|\[[^\]]+\])? = |assign\(process\.env|delete process\.env|minilm|worker_threads|opentelemetry|startTracing|memory-tracing|\/rows\/|src\/eval\/(?:bundled|daybook|peers)\b/u

/**
 * The tests by what they need: `unit` runs without isolation in threads, `servers` in processes that several files share one after the
 * other, `alone` each in a process of its own.
 */
export function lanes(): Readonly<Record<'unit' | 'servers' | 'alone', string[]>> {
  const lanesOf = { unit: [], servers: [], alone: [] } as Record<'unit' | 'servers' | 'alone', string[]>
  for (const file of ['libs', 'services', 'test'].flatMap(testsIn).toSorted()) {
    const said = file + readFileSync(file, 'utf8')
    // The domain is pure, its helpers for tests too.
    const lane =
      file.startsWith('libs/memory/') || !NEEDS_MORE.test(said)
        ? 'unit'
        : CHANGES_ITS_PROCESS.test(said)
          ? 'alone'
          : 'servers'
    lanesOf[lane].push(file)
  }
  return lanesOf
}

function testsIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules' || entry.name === 'dist') return []
    const path = join(folder, entry.name)
    return entry.isDirectory() ? testsIn(path) : path.endsWith('.test.ts') ? [path] : []
  })
}
