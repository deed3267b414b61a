/**
 * What each shell loads. The scripts know nothing of the commands: they hand the words to
 * `broker __complete`, whose first line is `words`, `files` or `commands`, and whose further lines are
 * candidates with a tab before their description.
 */
import type { SHELLS } from "./value_source.ts";

const BASH = `# bash completion of broker
_broker() {
    local IFS=$'\\n' current=\${COMP_WORDS[COMP_CWORD]} line
    local -a lines
    mapfile -t lines < <("\${COMP_WORDS[0]}" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
    COMPREPLY=()
    case \${lines[0]} in
    files)
        compopt -o filenames 2> /dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        ;;
    commands)
        mapfile -t COMPREPLY < <(compgen -c -- "$current")
        ;;
    *)
        for line in "\${lines[@]:1}"; do
            COMPREPLY+=("\${line%%$'\\t'*}")
        done
        ;;
    esac
}
complete -F _broker broker
`;

const ZSH = `#compdef broker
_broker() {
    local -a lines candidates
    local line
    lines=("\${(@f)$("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2> /dev/null)}")
    case \${lines[1]} in
    files) _files ;;
    commands) _path_commands ;;
    *)
        for line in "\${(@)lines[2,-1]}"; do
            # A colon would end the word.
            candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
        done
        _describe -t broker 'broker' candidates
        ;;
    esac
}
if [ "$funcstack[1]" = _broker ]; then
    _broker "$@"
else
    compdef _broker broker
fi
`;

const FISH = `# fish completion of broker
function __broker_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l lines ($words[1] __complete $words[2..-1] 2> /dev/null)
    switch "$lines[1]"
        case files
            __fish_complete_path (commandline -ct)
        case commands
            complete -C (commandline -ct)
        case '*'
            printf '%s\\n' $lines[2..-1]
    end
end
complete -c broker -f -a '(__broker_complete)'
`;

const POWERSHELL = `# PowerShell completion of broker
Register-ArgumentCompleter -Native -CommandName broker -ScriptBlock {
    param($typed, $ast, $cursor)
    $words = @($ast.CommandElements | Where-Object { $_.Extent.StartOffset -lt $cursor } |
        ForEach-Object { $_.ToString() })
    if ($typed -eq '') { $words += '""' }
    $lines = @(& $words[0] __complete @($words | Select-Object -Skip 1) 2> $null)
    # An empty answer lets PowerShell offer files.
    if ($lines[0] -ne 'words') { return }
    $lines | Select-Object -Skip 1 | ForEach-Object {
        $word, $description = $_ -split "\`t", 2
        if (-not $description) { $description = $word }
        [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $description)
    }
}
`;

/** The script of each shell. */
export const SHELL_SCRIPTS: Readonly<Record<typeof SHELLS[number], string>> = {
  bash: BASH,
  zsh: ZSH,
  fish: FISH,
  powershell: POWERSHELL,
};
