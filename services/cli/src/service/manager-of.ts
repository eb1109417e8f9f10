import { launchd } from './launchd.ts'
import { ServiceError } from './service-error.ts'
import type { ServiceManager, ServicePlace } from './service-manager.ts'
import { systemd } from './systemd.ts'

/** The service manager of a system. @throws ServiceError NOT_SUPPORTED, which says what to do instead */
export function managerOf({ platform }: Pick<ServicePlace, 'platform'>): ServiceManager {
  if (platform === 'linux') return systemd
  if (platform === 'darwin') return launchd
  throw new ServiceError(
    'NOT_SUPPORTED',
    `Daybook makes services for systemd and launchd only, and this system (${platform}) has neither.`,
    platform === 'win32'
      ? [
          'Start it now:            daybook start --detach',
          'And at every log-in:     schtasks /create /sc onlogon /tn Daybook /tr "cmd /c daybook start --detach"',
        ]
      : [
          'Start it now:            daybook start --detach',
          'And at every log-in:     put that command into your shell’s profile; it may run again at any time',
        ],
  )
}
