import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { DevLog } from '#contracts/console-events';
import { Button, Buttons, Dialog, Failure, Input, look } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { ask, type RequestFailed, refusals } from '../wire/http.ts';
import styles from './shell.module.css';

const pauseMs = 2_000;

/** The log of the agent while the panel is open, the newest line first. Of what this page was refused, it has the answer too. */
export function LogPanel({ onClose }: { readonly onClose: () => void }) {
  const messages = useMessages();
  const [wanted, setWanted] = useState('');
  const log = useQuery({
    queryKey: ['log'],
    queryFn: ({ signal }) => ask<DevLog>('/api/dev/log', { signal }),
    refetchInterval: pauseMs,
    gcTime: 0,
  });
  const answers = new Map(refusals().map((error) => [error.correlationId, error]));
  const lines = (log.data?.lines ?? []).filter(({ message }) => message.toLowerCase().includes(wanted.toLowerCase()));
  return (
    <Dialog title={messages.log} onClose={onClose} isAtSide>
      <Input
        type="search"
        aria-label={messages.findInLog}
        placeholder={messages.findInLog}
        value={wanted}
        onChange={({ target }) => setWanted(target.value)}
      />
      {log.error && <Failure error={log.error} />}
      {log.data && lines.length === 0 && <p>{messages.noLogLine}</p>}
      <ol className={styles['log']} reversed>
        {lines.toReversed().map((line) => {
          const { correlationId } = line.facts;
          const answer = typeof correlationId === 'string' ? answers.get(correlationId) : undefined;
          return <LogLine key={`${line.time} ${line.message} ${correlationId}`} line={line} answer={answer} />;
        })}
      </ol>
      <Buttons>
        <Button onClick={onClose}>{messages.close}</Button>
      </Buttons>
    </Dialog>
  );
}

interface LogLineProps {
  readonly line: DevLog['lines'][number];
  readonly answer: RequestFailed | undefined;
}

function LogLine({ line: { time, level, message, facts }, answer }: LogLineProps) {
  const messages = useMessages();
  const { status: _status, durationMs, correlationId, ...others } = facts;
  const more = Object.entries(others).map(([name, value]) => `${name}=${value}`);
  return (
    <li data-level={level}>
      <code>
        <time dateTime={time}>{time.slice(11, 19)}</time> {level} <bdi>{message}</bdi>
        {durationMs === undefined ? '' : ` ${durationMs} ms`} {more.join(' ')}
      </code>
      {(level === 'Warn' || level === 'Error') && correlationId !== undefined && (
        <p className={look.small}>
          {messages.correlation}: {correlationId}
        </p>
      )}
      {answer && (
        <p>
          {answer.message} {answer.nextSteps.join(' ')} {answer.code && <code>{answer.code}</code>}
        </p>
      )}
    </li>
  );
}
