import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Machine } from '../clients.ts'

/** A home and a project folder of a test's own, on this system and on no other. */
export function temporaryPlace(): Machine & { readonly remove: () => void } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'daybook-mcp-')))
  const [home, folder] = [join(root, 'home'), join(root, 'home', 'project')]
  mkdirSync(folder, { recursive: true })
  return {
    platform: 'linux',
    home,
    environment: {},
    folder,
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}
