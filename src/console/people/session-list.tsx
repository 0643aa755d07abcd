import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Session } from '#contracts/sessions';
import { ConfirmDialog } from '../design/confirm-dialog.tsx';
import { Button, look } from '../design/controls.tsx';
import { type Messages, useMessages } from '../messages/index.ts';
import { endSession, endSessions, sessionsQuery } from '../model/access.ts';
import { timeText } from '../values/time-text.ts';

interface SessionListProps {
  readonly title: string;
  /** Whose; one's own where it is absent. */
  readonly person?: number;
}

/** What somebody is signed in with: browsers, agents, the command line, tokens that were printed. */
export function SessionList({ title, person }: SessionListProps) {
  const { people: texts } = useMessages();
  const { data: sessions } = useSuspenseQuery(sessionsQuery(person));
  const [ending, setEnding] = useState<Session | 'all'>();
  return (
    <section aria-label={title} className={look.form}>
      <h2>{title}</h2>
      {sessions.length === 0 && <p className={look.small}>{texts.noSessions}</p>}
      <ul className={look.list}>
        {sessions.map((session) => (
          <li key={session.id} className={look.row}>
            <span className={look.wide}>
              <bdi>{nameOf(session, texts)}</bdi>
              <span className={look.small}> · {factsOf(session, texts).join(' · ')}</span>
            </span>
            {session.isCurrent ? (
              <span className={look.small}>{texts.thisBrowser}</span>
            ) : (
              <Button aria-label={texts.endOf(session.kind, nameOf(session, texts))} onClick={() => setEnding(session)}>
                {texts.end(session.kind)}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {person !== undefined && sessions.length > 0 && (
        <div>
          <Button look="danger" onClick={() => setEnding('all')}>
            {texts.endAll}
          </Button>
        </div>
      )}
      {ending && <EndDialog ending={ending} person={person} onClose={() => setEnding(undefined)} />}
    </section>
  );
}

type Texts = Messages['people'];

function nameOf({ kind, purpose }: Session, { sessionKinds }: Texts): string {
  return purpose === '' ? sessionKinds[kind] : `${sessionKinds[kind]}: ${purpose}`;
}

function factsOf(
  { kind, device, lastUsedAt, createdAt, expiresAt, address }: Session,
  texts: Texts,
): readonly string[] {
  const named = [device?.browser, device?.system].filter((name) => typeof name === 'string');
  return [
    ...(kind === 'token' ? [] : [named.length > 0 ? named.join(', ') : texts.noDevice]),
    lastUsedAt === null ? texts.noLastUse : texts.lastUsed(timeText(lastUsedAt)),
    ...(createdAt === null ? [] : [texts.since(timeText(createdAt))]),
    ...(expiresAt === null ? [] : [texts.ends(timeText(expiresAt))]),
    ...(address === null ? [] : [texts.from(address)]),
  ];
}

interface EndDialogProps {
  readonly ending: Session | 'all';
  readonly person: number | undefined;
  readonly onClose: () => void;
}

function EndDialog({ ending, person, onClose }: EndDialogProps) {
  const { people: texts } = useMessages();
  const client = useQueryClient();
  const running = useMutation({
    mutationFn: () => (ending === 'all' ? endSessions(person) : endSession(ending.id, person)),
    onSuccess: onClose,
    onSettled: () => client.invalidateQueries({ queryKey: ['sessions'] }),
  });
  return (
    <ConfirmDialog
      title={ending === 'all' ? texts.endAll : texts.endOf(ending.kind, nameOf(ending, texts))}
      why={ending === 'all' ? texts.endAllWhy : texts.endWhy}
      label={ending === 'all' ? texts.endAll : texts.end(ending.kind)}
      running={running}
      onClose={onClose}
    />
  );
}
