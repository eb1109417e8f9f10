import type { PageProps } from '../shell/page.ts'
import FirstRun from './first-run.tsx'

/** The page "Get started": what an empty Daybook shows, whenever somebody wants to see it again. */
export default function StartPage({ session }: PageProps) {
  return (
    <div class="page">
      <h1>Get started</h1>
      <FirstRun session={session} />
    </div>
  )
}
