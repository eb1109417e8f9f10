import { script } from '@bomb.sh/tab'
import tab from '@bomb.sh/tab/commander'
import { Argument, type Command } from 'commander'
import { addExamples, addNotes } from '../command.ts'

/** Adds the arguments, options and action of `daybook completion`. */
export function configureCompletion(command: Command): void {
  command
    .addArgument(
      new Argument('<shell>', 'whose script is printed').choices(['bash', 'zsh', 'fish', 'powershell']),
    )
    .action((shell: string) => script(shell, 'daybook', 'daybook'))
  addExamples(command, ['source <(daybook completion bash)'])
  addNotes(
    command,
    `
To install it, for every shell that you open from then on:

  bash:        echo 'source <(daybook completion bash)' >> ~/.bashrc   (it needs the package bash-completion)
  zsh:         echo 'source <(daybook completion zsh)' >> ~/.zshrc   (below the line with compinit)
  fish:        daybook completion fish > ~/.config/fish/completions/daybook.fish
  PowerShell:  add to $PROFILE:  daybook completion powershell | Out-String | Invoke-Expression

The script asks daybook itself at each Tab, so it stays right when Daybook is updated. It completes commands, options and their values.`,
  )
}

/** Adds the command `complete`, which the scripts ask. @param program all its commands are loaded */
export const addCompletion = (program: Command): void => void tab(program)
