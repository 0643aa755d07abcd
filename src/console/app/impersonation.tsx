import { useMutation, useQuery } from '@tanstack/react-query';
import { Button } from '../design/controls.tsx';
import { hasUnsaved } from '../design/unsaved.ts';
import { useMessages } from '../messages/index.ts';
import { endImpersonation, meQuery } from '../model/me.ts';
import { noSchema, schemaQuery } from '../model/schema.ts';
import { timeText } from '../values/time-text.ts';
import styles from './shell.module.css';

/** Whose view it is, on every screen. It can be left even when the platform gives it no more. */
export function Impersonation({ environment }: { readonly environment: string }) {
  const { impersonation: messages } = useMessages();
  const { data: person } = useQuery(meQuery);
  const { data: schema = noSchema } = useQuery(schemaQuery({ environment }));
  const ending = useMutation({ mutationFn: endImpersonation });
  return (
    <div role="status" className={styles['impersonation']}>
      <strong>{messages.title(person?.user.name ?? '')}</strong>
      {schema.isUnrestricted && <strong>{messages.unrestricted}</strong>}
      {person?.impersonation && <span>{messages.why(timeText(person.impersonation.expiresAt))}</span>}
      <Button
        disabled={ending.isPending}
        onClick={() => {
          if (!hasUnsaved() || confirm(messages.leave)) ending.mutate();
        }}
      >
        {messages.end}
      </Button>
    </div>
  );
}
