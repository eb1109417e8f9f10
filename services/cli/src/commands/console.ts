import { spawn } from 'node:child_process'
import * as mutations from '@daybook/api/mutations'
import type { Command } from 'commander'
import { request } from '../client/request.ts'
import { addExamples, addNotes, invocation } from '../command.ts'
import { note, print, printJson } from '../output/print.ts'

/** Adds the options and action of `daybook console`. */
export function configureConsole(command: Command): void {
  command
    .option('--print', 'print the link instead of opening a browser')
    .action((options: { print?: true }, self: Command) => openConsole(options.print === true, self))
  addExamples(command, [
    'daybook console',
    'daybook console --print',
    'daybook console --url https://daybook.example.com --json',
  ])
  addNotes(
    command,
    `
Opens the web console and logs your browser in with the rights of your API key, without showing the key. The link works
once, for 5 minutes: who opens it first is in. The session ends after 12 hours without use, after 7 days, when you log out,
or when the key is revoked.

--json prints the link and opens nothing.`,
  )
}

const CREATE = mutations.createLoginLink('path expiresAt')

async function openConsole(onlyPrint: boolean, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  // Any of the key's projects will do, so it needs to name none.
  const { result: link } = await request(connection, CREATE, {})
  const url = `${connection.url}${link.path}`
  if (json) return printJson({ url, expiresAt: link.expiresAt })
  if (!onlyPrint && (await openInBrowser(url))) return print('The console is open in your browser.')
  print(url)
  note('This link works once, for 5 minutes.')
}

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
