/** A quiet mark of a memory whose newest version is only here, until its project's home can be reached. */
export const NotShared = () => (
  <span
    class="tag not-shared"
    title="Written while the home of this project could not be reached. It is sent there by itself."
  >
    not shared yet
  </span>
)
