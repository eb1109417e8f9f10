import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Matches tests that need more than their own thread: servers, processes, models, mocks of modules, the
 * environment. A test that this overlooks runs as a unit test and shares a thread with others; that is its
 * only effect.
 */
const NEEDS_MORE =
  /\/testing\/|\/support\/|typesense-double|TEST_DATABASES|child_process|worker_threads|minilm|listen\(|createServer|vi\.(?:mock|stub|useFakeTimers)|process\.(?:env|umask|chdir)|\/(?:chaos|crash|eval|reindex)\//u

/**
 * The test files by what they need: `unit` ones share threads without isolation, `servers` ones each get a
 * process.
 */
export function lanes(): { readonly unit: string[]; readonly servers: string[] } {
  const files = ['libs', 'services', 'test'].flatMap(testsIn).toSorted()
  const isUnit = (file: string) => !NEEDS_MORE.test(file + readFileSync(file, 'utf8'))
  return { unit: files.filter(isUnit), servers: files.filter((file) => !isUnit(file)) }
}

function testsIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules' || entry.name === 'dist') return []
    const path = join(folder, entry.name)
    return entry.isDirectory() ? testsIn(path) : path.endsWith('.test.ts') ? [path] : []
  })
}
