export default function StartPage() {
  return (
    <div class="page">
      <h1>Get started</h1>
    </div>
  )
}
