import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { PermissionFile } from '#contracts/permission-file';
import type { CheckedDraft } from '#contracts/rights';
import { Button, Buttons, Dialog, Failure, look, Notice } from '../design/controls.tsx';
import { toast } from '../design/toasts.tsx';
import { useMessages } from '../messages/index.ts';
import { checkedDraftQuery, refusalDays, refusedByDraftQuery, setRights } from '../model/rights.ts';
import styles from './rights.module.css';

/** Rights that somebody changed and nobody has yet. */
export interface RightsDraft {
  readonly document: PermissionFile;
  /** The revision that it began with. */
  readonly base: number;
}

interface ReviewDialogProps {
  readonly environment: string;
  readonly draft: RightsDraft;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** Shows what a draft changes and for whom, and saves it: compared with the revision that is shown. */
export function ReviewDialog({ environment, draft, onSaved, onClose }: ReviewDialogProps) {
  const { rights: messages, cancel, save, loading } = useMessages();
  const client = useQueryClient();
  const [allowLockout, setAllowLockout] = useState(false);
  const { data: checked, error, refetch } = useQuery(checkedDraftQuery({ environment }, draft.document));
  const saving = useMutation({
    mutationFn: ({ revision }: CheckedDraft) =>
      setRights({ environment }, { document: draft.document, base: revision, allowLockout }),
    onSuccess: (rights) => {
      client.setQueryData(['rights', environment], rights);
      toast(messages.saved);
      onSaved();
    },
    // Somebody may have been first: the differences are then others.
    onError: () => void refetch(),
  });
  const isUnchanged = checked?.removed.length === 0 && checked.added.length === 0;
  const isRefused = !checked || isUnchanged || checked.problems.length > 0 || (checked.isLockout && !allowLockout);
  return (
    <Dialog title={messages.review} onClose={onClose}>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!checked && !error && <p className={look.late}>{loading}</p>}
      {checked && (
        <>
          {checked.revision !== draft.base && (
            <Notice kind="warning" title={messages.meanwhile}>
              <p>{messages.meanwhileWhy}</p>
            </Notice>
          )}
          <Warnings checked={checked} />
          {isUnchanged && <p>{messages.unchanged}</p>}
          <Sentences title={messages.removed} kind="removed" sentences={checked.removed} />
          <Sentences title={messages.added} kind="added" sentences={checked.added} />
          <Refusals environment={environment} document={draft.document} />
        </>
      )}
      {checked?.isLockout && (
        <label>
          <input type="checkbox" checked={allowLockout} onChange={({ target }) => setAllowLockout(target.checked)} />{' '}
          {messages.allowLockout}
        </label>
      )}
      {saving.error && <Failure error={saving.error} />}
      <Buttons>
        <Button onClick={onClose}>{cancel}</Button>
        <Button
          look="primary"
          disabled={isRefused || saving.isPending}
          onClick={() => checked && saving.mutate(checked)}
        >
          {save}
        </Button>
      </Buttons>
    </Dialog>
  );
}

function Warnings({ checked: { problems, roles, teams, isLockout } }: { readonly checked: CheckedDraft }) {
  const { rights: messages, people } = useMessages();
  return (
    <>
      {problems.length > 0 && (
        <Notice title={messages.problems}>
          <ul>
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </Notice>
      )}
      {isLockout && <Notice title={messages.lockout} />}
      {roles.length + teams.length > 0 && (
        <Notice kind="warning" title={messages.leftOut}>
          <ul>
            {roles.map(({ name, people: count }) => (
              <li key={`role ${name}`}>{messages.roleLeftOut(name, people.count(String(count)))}</li>
            ))}
            {teams.map(({ name, people: count }) => (
              <li key={`team ${name}`}>{messages.teamLeftOut(name, people.count(String(count)))}</li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  );
}

interface SentencesProps {
  readonly title: string;
  readonly kind: 'removed' | 'added';
  readonly sentences: readonly string[];
}

function Sentences({ title, kind, sentences }: SentencesProps) {
  if (sentences.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <ul className={styles[kind]}>
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </section>
  );
}

/** What people did lately and could not do any more. */
function Refusals({ environment, document }: { readonly environment: string; readonly document: PermissionFile }) {
  const { rights: messages } = useMessages();
  const { data: found, error } = useQuery(refusedByDraftQuery({ environment }, document));
  if (error) return <Failure error={error} />;
  if (!found) return null;
  if (found.refusals.length === 0) {
    return <p className={look.small}>{messages.refusedNone(refusalDays, String(found.acts))}</p>;
  }
  return (
    <section aria-label={messages.refused(refusalDays)}>
      <h3>{messages.refused(refusalDays)}</h3>
      <ul className={styles['removed']}>
        {found.refusals.map(({ person, because, acts, lastAt }) => (
          <li key={`${person.id} ${because} ${lastAt}`}>{messages.refusal(person.name, because, String(acts))}</li>
        ))}
      </ul>
      {found.more > 0 && <p className={look.small}>{messages.refusedMore(String(found.more))}</p>}
    </section>
  );
}
