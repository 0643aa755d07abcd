import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Session } from '#contracts/sessions';
import { Button, look } from '../design/controls.tsx';
import { endSession, sessionsQuery } from '../model/access.ts';
import { timeText } from '../values/time-text.ts';
import { useAccessTexts } from './access-texts.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

/** What the person is signed in with: browsers, agents, the command line, tokens that were printed. */
export function SessionList() {
  const texts = useAccessTexts();
  const { data: sessions } = useSuspenseQuery(sessionsQuery);
  const [ending, setEnding] = useState<Session>();
  return (
    <section aria-label={texts.sessions} className={look.form}>
      <h2>{texts.sessions}</h2>
      <ul className={look.list}>
        {sessions.map((session) => (
          <li key={session.id} className={look.row}>
            <span className={look.wide}>
              <bdi>{nameOf(session, texts.sessionKinds)}</bdi>
              <span className={look.small}> · {factsOf(session, texts).join(' · ')}</span>
            </span>
            {session.isCurrent ? (
              <span className={look.small}>{texts.thisBrowser}</span>
            ) : (
              <Button aria-label={texts.endOf(nameOf(session, texts.sessionKinds))} onClick={() => setEnding(session)}>
                {texts.end}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {ending && <EndSessionDialog session={ending} onClose={() => setEnding(undefined)} />}
    </section>
  );
}

type Texts = ReturnType<typeof useAccessTexts>;

function nameOf({ kind, purpose }: Session, kinds: Texts['sessionKinds']): string {
  return purpose === '' ? kinds[kind] : `${kinds[kind]}: ${purpose}`;
}

function factsOf({ createdAt, expiresAt, address }: Session, texts: Texts): readonly string[] {
  return [
    ...(createdAt === null ? [] : [texts.since(timeText(createdAt))]),
    ...(expiresAt === null ? [] : [texts.until(timeText(expiresAt))]),
    ...(address === null ? [] : [texts.from(address)]),
  ];
}

interface EndSessionDialogProps {
  readonly session: Session;
  readonly onClose: () => void;
}

function EndSessionDialog({ session, onClose }: EndSessionDialogProps) {
  const texts = useAccessTexts();
  const client = useQueryClient();
  const ending = useMutation({
    mutationFn: () => endSession(session.id),
    onSuccess: onClose,
    onSettled: () => client.invalidateQueries({ queryKey: ['sessions'] }),
  });
  return (
    <ConfirmDialog
      title={texts.endOf(nameOf(session, texts.sessionKinds))}
      why={texts.endWhy}
      label={texts.end}
      running={ending}
      onClose={onClose}
    />
  );
}
