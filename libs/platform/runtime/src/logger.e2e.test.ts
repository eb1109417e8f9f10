import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'

describe('the log', () => {
  it('goes to standard error as JSON lines, with secrets blanked', () => {
    const script = `
      const { createLogger } = await import('${new URL('./logger.ts', import.meta.url).href}')
      const logger = createLogger('test', 'info')
      logger.info({ apiKey: 'hunter2', request: { authorization: 'hunter2', password: 'hunter2' } }, 'hello')
      logger.debug('hunter2')`
    const args = ['--import', import.meta.resolve('tsx'), '--input-type=module', '--eval', script]
    // The shell swaps the outputs: what comes back was written to standard error.
    const output = execFileSync('sh', ['-c', '"$0" "$@" 2>&1 >/dev/null', process.execPath, ...args], {
      encoding: 'utf8',
    })
    expect(output).not.toContain('hunter2')
    expect(JSON.parse(output)).toMatchObject({ name: 'test', level: 30, msg: 'hello', apiKey: '…' })
  })
})
