import { type ReactNode, useState } from 'react';
import type { Verdict } from '#contracts/audit/verdict';
import { Button, look, Notice } from '../design/controls.tsx';
import { useLaterTexts, useMessages } from '../messages/index.ts';
import { timeText } from '../values/time-text.ts';
import { zone } from '../wire/agent.ts';
import styles from './log.module.css';
import type { LogSource } from './log-state.ts';
import { type Told, useVerification, type Verification } from './verification.ts';

interface LogVerificationProps {
  readonly source: LogSource;
  readonly onClose: () => void;
}

/** Has this browser compute every hash and signature of a log, and says whether it holds. */
export function LogVerification({ source, onClose }: LogVerificationProps) {
  const messages = useMessages();
  const words = useLaterTexts('verificationTexts');
  const verification = useVerification(source);
  // Read when it is chosen: a browser does not read a file that has changed since. One that it cannot read holds no checkpoints.
  const [checkpoints, setCheckpoints] = useState<Promise<string>>();
  const [keys, setKeys] = useState('');
  const [witnesses, setWitnesses] = useState('');
  const { told, kept } = verification;
  const isRunning = told?.kind === 'progress';
  return (
    <section className={styles['verification']} aria-label={words.title}>
      <p className={look.small}>
        {words.what} {kept ? words.kept(kept.size, timeText(kept.at, zone())) : words.notKept}
      </p>
      <label>
        {words.file}{' '}
        <input
          type="file"
          disabled={isRunning}
          onChange={({ target }) => setCheckpoints(target.files?.[0]?.text().catch(() => ''))}
        />
      </label>
      <Lines label={words.keys} text={keys} isDisabled={isRunning} onChange={setKeys} />
      <Lines label={words.witnesses} text={witnesses} isDisabled={isRunning} onChange={setWitnesses} />
      {isRunning && <Progress rows={told.rows} of={told.of} />}
      {told && !isRunning && <Outcome told={told} verification={verification} />}
      <div className={look.row}>
        {isRunning ? (
          <Button onClick={verification.stop}>{words.stop}</Button>
        ) : (
          <Button
            look="primary"
            onClick={() => void verification.start({ checkpoints, keys: linesOf(keys), witnesses: linesOf(witnesses) })}
          >
            {words.start}
          </Button>
        )}
        <Button onClick={onClose}>{messages.close}</Button>
      </div>
    </section>
  );
}

interface LinesProps {
  readonly label: string;
  readonly text: string;
  readonly isDisabled: boolean;
  readonly onChange: (text: string) => void;
}

function Lines({ label, text, isDisabled, onChange }: LinesProps) {
  return (
    <label>
      {label}
      <textarea
        className={look.input}
        rows={text.split('\n').length}
        spellCheck={false}
        disabled={isDisabled}
        value={text}
        onChange={({ target }) => onChange(target.value)}
      />
    </label>
  );
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => line.trim() || []);
}

function Progress({ rows, of }: { readonly rows: number; readonly of: number }) {
  const messages = useMessages();
  const numbers = new Intl.NumberFormat(messages.code);
  const words = useLaterTexts('verificationTexts');
  const text = words.progress(numbers.format(rows), numbers.format(of));
  return (
    <p role="status">
      <progress max={Math.max(of, 1)} value={rows} aria-label={text} /> {text}
    </p>
  );
}

type Ended = Exclude<Told, { readonly kind: 'progress' }>;

function Outcome({ told, verification }: { readonly told: Ended; readonly verification: Verification }) {
  const messages = useMessages();
  const words = useLaterTexts('verificationTexts');
  switch (told.kind) {
    case 'verified':
      return <VerdictNotice verdict={told.verdict} verification={verification} />;
    case 'unsupported':
      return <Result title={words.unsupported} steps={words.unsupportedNext} />;
    case 'noCheckpoints':
      return <Result title={words.noCheckpoints} steps={words.noCheckpointsNext} />;
    case 'noKey':
      return <Result title={words.noKey(told.text)} steps={words.noKeyNext} />;
    case 'noWitness':
      return <Result title={words.noWitness(told.text)} steps={words.noWitnessNext} />;
    case 'failed':
      return <Result title={told.message ?? messages.noAnswer} steps={[words.nothingProved, ...told.nextSteps]} />;
  }
}

function VerdictNotice({ verdict, verification: { kept, forget } }: { verdict: Verdict; verification: Verification }) {
  const words = useLaterTexts('verificationTexts');
  const { outcome, problem, missing, rows, first, last, restored, clockJumps = [], erasures = [] } = verdict;
  if (outcome === 'broken') {
    return (
      <Result title={problem?.message ?? words.broken} steps={words.brokenNext}>
        <p className={look.small}>
          {words.problem(problem?.kind ?? '', problem?.sequence ?? 0)} {words.verifiedBefore(rows)}
        </p>
        {kept && (
          <p>
            {words.forgetWhy} <Button onClick={forget}>{words.forget}</Button>
          </p>
        )}
      </Result>
    );
  }
  if (outcome === 'unverifiable') return <Result title={words.unverifiable(rows)} steps={missing} kind="warning" />;
  if (rows === 0) return <Result title={words.noRows} kind="success" />;
  return (
    <Result title={words.holds(rows, first ?? 0, last ?? 0)} kind={restored ? 'warning' : 'success'}>
      {restored && <p>{words.restored(restored)}</p>}
      {clockJumps.map(({ log, from, to }) => (
        <p key={from}>{words.clock(log, from, to)}</p>
      ))}
      {erasures.map((erased) => (
        <p key={erased.from}>{words.erased(erased)}</p>
      ))}
      {kept && <p className={look.small}>{words.keptNow(kept.size, timeText(kept.at, zone()))}</p>}
    </Result>
  );
}

interface ResultProps {
  readonly title: string;
  readonly steps?: readonly string[];
  readonly kind?: 'danger' | 'warning' | 'success';
  readonly children?: ReactNode;
}

function Result({ title, steps = [], kind = 'danger', children }: ResultProps) {
  return (
    <Notice title={title} kind={kind}>
      {children}
      {steps.map((step) => (
        <p key={step}>{step}</p>
      ))}
    </Notice>
  );
}
