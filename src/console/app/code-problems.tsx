import { Button, Notice } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';

/** What is wrong with the code that is being written. */
export interface CodeState {
  /** The last save was refused. */
  readonly problem?: CodeProblem;
  readonly types: readonly TypeProblem[];
  /** The last request that met an error of the code. */
  readonly failure?: CodeProblem;
}

/** An error of the code, with its place. */
export interface CodeProblem {
  readonly message: string;
  readonly location?: { readonly file: string; readonly line: number; readonly frame?: string };
}

export interface TypeProblem {
  readonly file: string;
  readonly line: number;
  readonly message: string;
  /** The lines around it. */
  readonly frame?: string;
}

interface CodeProblemsProps {
  readonly code: CodeState;
  /** Puts the failure of a request away. */
  readonly onClose: () => void;
}

/** Each problem with its place in the code. */
export function CodeProblems({ code: { problem, types, failure }, onClose }: CodeProblemsProps) {
  const messages = useMessages();
  return (
    <>
      {problem && <Problem title={messages.codeBroken} problem={problem} />}
      {types[0] && <Problem title={messages.typeErrors(types.length)} problem={asProblem(types[0])} />}
      {failure && <Problem title={messages.requestFailed} problem={failure} onClose={onClose} />}
    </>
  );
}

interface ProblemProps {
  readonly title: string;
  readonly problem: CodeProblem;
  readonly onClose?: () => void;
}

function Problem({ title, problem: { message, location }, onClose }: ProblemProps) {
  const messages = useMessages();
  return (
    <Notice kind="warning" title={title}>
      <p>
        {message} {location && <code>{`${location.file}:${location.line}`}</code>}
      </p>
      {location?.frame && <pre>{location.frame}</pre>}
      {onClose && (
        <div>
          <Button onClick={onClose}>{messages.close}</Button>
        </div>
      )}
    </Notice>
  );
}

function asProblem({ file, line, message, frame }: TypeProblem): CodeProblem {
  return { message, location: { file, line, ...(frame === undefined ? {} : { frame }) } };
}
