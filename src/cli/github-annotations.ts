import path from 'node:path';
import type { ErrorReport } from '#kernel/errors/error-report';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Errors as commands of a GitHub workflow, which shows them at their lines in a pull request; none anywhere else.
 * https://docs.github.com/actions/reference/workflow-commands-for-github-actions
 */
export function githubAnnotations(errors: readonly ErrorReport[], variables: Variables): readonly string[] {
  if (variables['GITHUB_ACTIONS'] !== 'true') return [];
  return errors.map((error) => `::error ${properties(error, variables)}::${escaped(textOf(error))}`);
}

function properties({ code, location }: ErrorReport, { GITHUB_WORKSPACE: workspace }: Variables): string {
  const given = {
    title: code,
    file: location && (workspace ? path.relative(workspace, location.file) : location.file),
    line: location?.line,
    col: location?.column,
  };
  return Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${escaped(String(value)).replaceAll(':', '%3A').replaceAll(',', '%2C')}`)
    .join(',');
}

function textOf({ message, nextSteps }: ErrorReport): string {
  return [message, ...nextSteps.map((step) => `→ ${step}`)].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
