import { join } from 'node:path'
import { runTool, tryTool } from './run-tool.ts'
import { ServiceError } from './service-error.ts'
import type { ServiceManager } from './service-manager.ts'
import { dataDirOfUnit, systemdUnit } from './systemd-unit.ts'

const UNIT = 'daybook.service'

/**
 * systemd's manager of one user. It runs while that user is logged in, or from the machine's start where the user lingers.
 * Source: systemd.unit(5) ("User Unit Search Path"), systemd.service(5), systemd.exec(5)
 */
export const systemd: ServiceManager = {
  title: 'systemd user unit',
  file: ({ home, environment }) =>
    join(environment['XDG_CONFIG_HOME'] || join(home, '.config'), 'systemd', 'user', UNIT),
  text: systemdUnit,
  dataDirOf: dataDirOfUnit,
  commands: () => ({
    start: ['systemctl --user daemon-reload', `systemctl --user enable --now ${UNIT}`],
    stop: [`systemctl --user disable --now ${UNIT}`, 'systemctl --user daemon-reload'],
  }),
  log: () => `journalctl --user --unit ${UNIT}`,
  note: 'It runs while you are logged in. To let it run from the machine’s start on:  loginctl enable-linger',

  async check(place) {
    const { exitCode, stderr } = await tryTool(place, 'systemctl', '--user', 'show-environment')
    if (exitCode === 0) return
    throw new ServiceError(
      'SERVICE_MANAGER',
      `systemd does not run services for this user here: ${stderr.trim() || 'systemctl --user does not answer'}`,
      [
        'After su or sudo:      log in as the user itself, such as with ssh, and try again',
        'Without systemd:       daybook start --detach',
        'In a container:        daybook start, as the command that it runs',
      ],
    )
  },

  async state(place) {
    const [enabled, shown] = await Promise.all([
      tryTool(place, 'systemctl', '--user', 'is-enabled', UNIT),
      tryTool(place, 'systemctl', '--user', 'show', '--property=ActiveState,MainPID,NRestarts,Result', UNIT),
    ])
    const said = Object.fromEntries(
      shown.stdout.split('\n').map((line) => [line.split('=', 1)[0], line.slice(line.indexOf('=') + 1)]),
    ) as Readonly<Record<string, string | undefined>>
    const pid = Number(said['MainPID'] ?? 0)
    return {
      enabled: enabled.exitCode === 0,
      running: said['ActiveState'] === 'active',
      // `activating` is the pause before it is started again.
      failing:
        said['ActiveState'] === 'failed' ||
        (said['Result'] ?? 'success') !== 'success' ||
        Number(said['NRestarts'] ?? 0) > 0,
      pid: pid > 0 ? pid : null,
    }
  },

  async start(place, changed) {
    await runTool(place, 'systemctl', '--user', 'daemon-reload')
    // After too many failures it would not be started; that it does not know the unit yet does not matter.
    await tryTool(place, 'systemctl', '--user', 'reset-failed', UNIT)
    const { running } = await systemd.state(place)
    if (running && changed) await runTool(place, 'systemctl', '--user', 'restart', UNIT)
    await runTool(place, 'systemctl', '--user', 'enable', '--now', UNIT)
  },

  async stop(place) {
    await runTool(place, 'systemctl', '--user', 'disable', '--now', UNIT)
  },

  async forget(place) {
    await runTool(place, 'systemctl', '--user', 'daemon-reload')
    await tryTool(place, 'systemctl', '--user', 'reset-failed', UNIT)
  },
}
