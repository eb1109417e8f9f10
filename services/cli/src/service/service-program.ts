import { findProgram, repositoryFolder } from '@daybook/local-daemon/programs'
import { ServiceError } from './service-error.ts'
import type { ServiceProgram } from './service-manager.ts'

/** Folders from which npx, `pnpm dlx`, `yarn dlx` and bunx run packages. Each may be emptied at any time. */
const CACHES = /[/\\](?:_npx|dlx(?:-[^/\\]*)?|bunx-[^/\\]*)[/\\]/u

const HOW = [
  'Install it for good, from its tarball:  npm install --global --ignore-scripts ./daybook-….tgz',
  'Then run:             daybook service install',
]

/**
 * What the service runs: this node with the daemon of this installation.
 * @throws ServiceError NOT_INSTALLED where that would vanish or change under it; LocalDaemonError PROGRAM_MISSING
 */
export function serviceCommand(node = process.execPath, from?: string): ServiceProgram['command'] {
  const repository = repositoryFolder(from)
  if (repository !== null)
    throw new ServiceError(
      'NOT_INSTALLED',
      `This Daybook runs from the repository ${repository}, whose bundles are made anew as its sources change. A service needs one that stays.`,
      [`Make the package:     npm run package   (in ${repository}; its last line is the tarball)`, ...HOW],
    )
  const { file, args } = findProgram('daemon', from)
  if (CACHES.test(file))
    throw new ServiceError(
      'NOT_INSTALLED',
      `This Daybook runs from a cache, ${file}, which may be emptied at any time. A service needs one that stays.`,
      HOW,
    )
  return [node, file, ...args]
}
