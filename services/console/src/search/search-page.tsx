export default function SearchPage() {
  return (
    <div class="page">
      <h1>Search</h1>
    </div>
  )
}
