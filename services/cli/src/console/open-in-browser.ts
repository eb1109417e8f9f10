import { spawn } from 'node:child_process'

/** How long a program may take to fail before the page counts as opened, in milliseconds. */
const FAILS_WITHIN_MS = 1_000

/** What opens an address in the usual browser. `start` of Windows would be a shell's, which reads "&" as its own. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [program: string, ...args: string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}
const USUAL = ['xdg-open'] as const

/** Opens an address in the user's browser. @returns whether that began; not where there is no browser, as over SSH */
export function openInBrowser(
  url: string,
  [program, ...args]: readonly [string, ...string[]] = OPENERS[process.platform] ?? USUAL,
): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { detached: true, stdio: 'ignore', windowsHide: true })
    // A browser that was not running stays in the foreground of its opener.
    const timer = setTimeout(() => resolve(true), FAILS_WITHIN_MS)
    const end = (opened: boolean) => {
      clearTimeout(timer)
      resolve(opened)
    }
    child.once('error', () => end(false))
    child.once('exit', (code) => end(code === 0))
    child.unref()
  })
}
