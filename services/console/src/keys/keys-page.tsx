import { listKeys, listQuarantines } from '../api/keys.ts'
import { projectIn } from '../api/project.ts'
import { listProjects } from '../api/projects.ts'
import { ErrorNotice } from '../components/error-notice.tsx'
import { usePolled } from '../components/hooks.ts'
import { useLocation } from '../router/location.ts'
import type { PageProps } from '../shell/page.ts'
import { KeySection } from './key-section.tsx'
import { ProjectSection } from './project-section.tsx'
import { QuarantineSection } from './quarantine-section.tsx'

/** How often to look, in milliseconds: the last use of a key is kept to the minute. */
const PAUSE_MS = 15_000

/** Who may do what where: keys, writers in quarantine, and projects. */
export default function KeysPage({ session }: PageProps) {
  const project = projectIn(useLocation().params, session)
  const { answer, error, again } = usePolled(
    'keys',
    async (signal) => {
      const [keys, projects, quarantines] = await Promise.all([
        listKeys(signal),
        listProjects(signal),
        listQuarantines(signal),
      ])
      return { keys, projects, quarantines }
    },
    () => PAUSE_MS,
  )
  if (answer === null)
    return error === null ? <p class="loading">Loading …</p> : <ErrorNotice error={error} onRetry={again} />
  const { keys, projects, quarantines } = answer
  return (
    <div class="page keys-page">
      <h1>Keys and projects</h1>
      {error !== null && <ErrorNotice error={error} onRetry={again} />}
      <KeySection
        keys={keys}
        projects={projects}
        quarantines={quarantines}
        session={session}
        project={project}
        onChange={again}
      />
      <QuarantineSection
        keys={keys}
        quarantines={quarantines}
        wholeDaybook={session.wholeDaybook}
        project={project}
        onChange={again}
      />
      <ProjectSection
        projects={projects}
        current={project}
        wholeDaybook={session.wholeDaybook}
        onChange={again}
      />
    </div>
  )
}
