import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ServicePlace } from './service-manager.ts'
import { taskScheduler } from './task-scheduler.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-task-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const DATA = String.raw`D:\Zoë & Söhne's "memory"\Daten`

const place = (): ServicePlace => ({
  platform: 'win32',
  home: String.raw`C:\Users\Zoë B`,
  uid: 0,
  environment: { USERDOMAIN: 'DESK & CO', USERNAME: 'Zoë B', PATH: folder },
})

test('the task runs at the log-in of its user, hidden and without an end', () => {
  const command = [
    String.raw`C:\Program Files\nodejs\node.exe`,
    String.raw`C:\Users\Zoë B\npm & more\dist\cli\main.js`,
  ] as const
  const environment = { DAYBOOK_DATA_DIR: DATA, FOLDER: 'E:\\', LOG_LEVEL: 'warn' }
  const text = taskScheduler.text({ command: [...command], dataDir: DATA, environment }, place())
  expect(text.split('\r\n')).toEqual(
    String.raw`<?xml version="1.0"?>
<!-- Made by "daybook service install"; "daybook service uninstall" removes it. -->
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>Daybook, the memory for AI agents</Description>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <UserId>DESK &#x26; CO\Zo&#xeb; B</UserId>
    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal>
      <UserId>DESK &#x26; CO\Zo&#xeb; B</UserId>
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>5</Count>
    </RestartOnFailure>
  </Settings>
  <Actions>
    <Exec>
      <Command>%SystemRoot%\System32\conhost.exe</Command>
      <Arguments>--headless "C:\Program Files\nodejs\node.exe" "C:\Users\Zo&#xeb; B\npm &#x26; more\dist\cli\main.js" "service" "run" "DAYBOOK_DATA_DIR=D:\Zo&#xeb; &#x26; S&#xf6;hne's \"memory\"\Daten" "FOLDER=E:\\" "LOG_LEVEL=warn"</Arguments>
      <WorkingDirectory>D:\Zo&#xeb; &#x26; S&#xf6;hne's "memory"\Daten</WorkingDirectory>
    </Exec>
  </Actions>
</Task>
`.split('\n'),
  )
  expect(taskScheduler.dataDirOf(text)).toBe(DATA)
})

test('the commands are shown as a person can type them', () => {
  expect(taskScheduler.commands(place())).toEqual({
    start: [
      String.raw`schtasks /create /f /tn "Daybook Zoë B" /xml "C:\Users\Zoë B\AppData\Local\daybook\service.xml"`,
      'schtasks /run /tn "Daybook Zoë B"',
    ],
    stop: ['schtasks /end /tn "Daybook Zoë B"', 'schtasks /delete /f /tn "Daybook Zoë B"'],
  })
})

test('what is changed is ended, made again and run; in the end it is removed', async () => {
  const calls = join(folder, 'calls')
  writeFileSync(join(folder, 'schtasks'), `#!/bin/sh\n[ "$1" = /query ] || echo "$*" >> '${calls}'\n`)
  chmodSync(join(folder, 'schtasks'), 0o755)
  const called = () => {
    const lines = readFileSync(calls, 'utf8').trim().split('\n')
    rmSync(calls)
    return lines
  }
  await taskScheduler.check(place())
  expect(called()).toEqual(['/?'])
  await taskScheduler.start(place(), true)
  expect(called()).toEqual([
    '/end /tn Daybook Zoë B',
    String.raw`/create /f /tn Daybook Zoë B /xml C:\Users\Zoë B\AppData\Local\daybook\service.xml`,
    '/run /tn Daybook Zoë B',
  ])
  await taskScheduler.start(place(), false)
  expect(called()).toEqual(['/run /tn Daybook Zoë B'])
  await taskScheduler.stop(place())
  expect(called()).toEqual(['/end /tn Daybook Zoë B', '/delete /f /tn Daybook Zoë B'])
})

test('without Task Scheduler it is said what else there is', async () => {
  await expect(taskScheduler.check(place())).rejects.toMatchObject({
    code: 'SERVICE_MANAGER',
    hints: [expect.stringContaining('daybook start --detach')],
  })
  expect(await taskScheduler.state(place())).toEqual({
    enabled: false,
    running: false,
    failing: false,
    pid: null,
  })
})
