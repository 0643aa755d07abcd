import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Session } from '#contracts/sessions';
import { ConfirmDialog } from '../design/confirm-dialog.tsx';
import { Button, look, Table } from '../design/controls.tsx';
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
  const { sessionColumns: columns } = texts;
  const [ending, setEnding] = useState<Session | 'all'>();
  return (
    <section aria-label={title} className={look.form}>
      <h2>{title}</h2>
      {sessions.length === 0 && <p className={look.small}>{texts.noSessions}</p>}
      {sessions.length > 0 && (
        <Table titles={[columns.name, columns.used, columns.since, columns.until, columns.address]} hasDeeds>
          {sessions.map((session) => (
            <SessionRow key={session.id} session={session} onEnd={() => setEnding(session)} />
          ))}
        </Table>
      )}
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

function SessionRow({ session, onEnd }: { readonly session: Session; readonly onEnd: () => void }) {
  const { people: texts } = useMessages();
  const { kind, lastUsedAt, createdAt, expiresAt, address, isCurrent } = session;
  return (
    <tr>
      <th scope="row">
        <bdi>{nameOf(session, texts)}</bdi>
        {kind !== 'token' && <div className={look.small}>{deviceOf(session) || texts.noDevice}</div>}
      </th>
      <td>{lastUsedAt === null ? texts.notKnown : timeText(lastUsedAt)}</td>
      <td>{createdAt === null ? texts.notKnown : timeText(createdAt)}</td>
      <td>{expiresAt === null ? texts.notKnown : timeText(expiresAt)}</td>
      <td>{address ?? texts.notKnown}</td>
      <td>
        {isCurrent ? (
          <span className={look.small}>{texts.thisBrowser}</span>
        ) : (
          <Button aria-label={texts.endOf(kind, nameOf(session, texts))} onClick={onEnd}>
            {texts.end(kind)}
          </Button>
        )}
      </td>
    </tr>
  );
}

type Texts = Messages['people'];

function nameOf({ kind, purpose }: Session, { sessionKinds }: Texts): string {
  return purpose === '' ? sessionKinds[kind] : `${sessionKinds[kind]}: ${purpose}`;
}

function deviceOf({ device }: Session): string {
  return [device?.browser, device?.system].filter((name) => typeof name === 'string').join(', ');
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
