import type { ComponentType } from 'preact'
import { useEffect, useErrorBoundary, useState } from 'preact/hooks'
import type { Session } from '../api/session.ts'
import { ErrorNotice } from '../components/error-notice.tsx'
import type { Page, PageProps } from './page.ts'

/** Loads a page and shows it. What the page throws is shown in its place; the rest of the console goes on. */
export function PageFrame({
  page,
  rest,
  session,
}: {
  readonly page: Page
  readonly rest: string
  readonly session: Session
}) {
  const [Content, setContent] = useState<ComponentType<PageProps> | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const [broken, reset] = useErrorBoundary()
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    document.title = `${page.title} · Daybook`
    setFailure(null)
    page.load().then((loaded) => setContent(() => loaded.default), setFailure)
  }, [page, attempt])
  const again = () => {
    reset()
    setAttempt(attempt + 1)
  }
  if (broken !== undefined || failure !== null)
    return <ErrorNotice error={broken ?? failure} onRetry={again} />
  if (Content === null) return <p class="loading">Loading …</p>
  return <Content session={session} rest={rest} />
}
