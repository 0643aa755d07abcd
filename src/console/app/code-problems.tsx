import { Button, Notice } from '../design/controls.tsx';
import { type Messages, useMessages } from '../messages/index.ts';

/** What is wrong with the code that is being written, and with what it stands on. */
export interface CodeState {
  /** The last save was refused, or something else of the project was. */
  readonly problem?: RefusedProject;
  readonly types: readonly TypeProblem[];
  /** The last request that met an error of the code or of a database. */
  readonly failure?: CodeProblem;
}

export interface RefusedProject extends CodeProblem {
  /** What requests are answered with since. */
  readonly serves?: 'last-good' | 'part' | 'nothing';
}

/** An error, with its place where it is one of the code. */
export interface CodeProblem {
  /** As in docs/errors.md. */
  readonly code: string;
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
      {problem && <Problem title={refusedTitle(problem, messages)} problem={problem} />}
      {types[0] && <Problem title={messages.typeErrors(types.length)} problem={asProblem(types[0])} />}
      {failure && <Problem title={messages.requestFailed[subjectOf(failure)]} problem={failure} onClose={onClose} />}
    </>
  );
}

function refusedTitle(problem: RefusedProject, { refused, served }: Messages): string {
  const title = refused[subjectOf(problem)];
  return problem.serves ? `${title} ${served[problem.serves]}` : title;
}

/** What an error is about, as the family of its code says. */
function subjectOf({ code, location }: CodeProblem): 'code' | 'database' | 'other' {
  if (code.startsWith('DATABASE_')) return 'database';
  return location || /^(?:CUSTOMIZATION|BUILD)_/.test(code) ? 'code' : 'other';
}

interface ProblemProps {
  readonly title: string;
  readonly problem: Pick<CodeProblem, 'message' | 'location'>;
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

function asProblem({ file, line, message, frame }: TypeProblem): ProblemProps['problem'] {
  return { message, location: { file, line, ...(frame === undefined ? {} : { frame }) } };
}
