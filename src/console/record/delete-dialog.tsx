import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ActionTarget } from '../action/action-target.ts';
import { Button, Buttons, Dialog, Failure, Notice } from '../design/controls.tsx';
import { dropToasts, toast } from '../design/toasts.tsx';
import { useOnce } from '../design/use-stable.ts';
import { selectionAttributes } from '../grid/selection.ts';
import { useMessages } from '../messages/index.ts';
import type { VisibleCollection } from '../model/schema.ts';
import { type AgentAddress, askAgent } from '../wire/agent.ts';

interface DeleteDialogProps {
  readonly agent: AgentAddress;
  readonly collection: VisibleCollection;
  readonly target: ActionTarget;
  /** What one record is called; absent for several. */
  readonly title?: string;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

interface Affected {
  readonly collection: string;
  readonly count: number;
}

/** What a deletion would do, as the server says it without doing it. */
interface Forecast {
  readonly meta: {
    readonly records: number;
    readonly isFinal: boolean;
    readonly alsoDeleted: readonly Affected[];
    /** Records that lose their link. */
    readonly unlinked: readonly Affected[];
    /** Records that keep the database from the deletion. */
    readonly blocking: readonly Affected[];
    /** Whether the person sees all of them. */
    readonly isWhole: boolean;
  };
}

/** Asks before a deletion, and says what goes along. */
export function DeleteDialog({ agent, collection, target, title, onDone, onClose }: DeleteDialogProps) {
  const messages = useMessages();
  const client = useQueryClient();
  const numbers = new Intl.NumberFormat(messages.code);
  const body = { data: { attributes: selectionAttributes(target.selection, target.query) } };
  const forecast = useQuery({
    queryKey: ['forecast', agent.environment, collection.name, body],
    queryFn: ({ signal }) =>
      askAgent<Forecast>(agent, [collection.name], { dryRun: 'true' }, { method: 'DELETE', body, signal }),
    gcTime: 0,
  });
  const deletion = useMutation({
    mutationFn: () => askAgent(agent, [collection.name], {}, { method: 'DELETE', body }),
    onSuccess: async () => {
      toast(messages.deleted);
      onClose();
      onDone();
      await client.invalidateQueries({ queryKey: ['rows', agent.environment] });
    },
    onError: dropToasts,
  });
  const deleteOnce = useOnce(() => deletion.mutateAsync());
  const { meta } = forecast.data ?? {};
  const count = meta?.records ?? target.size;
  const question = title
    ? messages.deleteTitle(title)
    : messages.deleteMany(count === undefined ? '…' : numbers.format(count));
  const error = deletion.error ?? forecast.error;
  // Records of the same collection may be among those that go.
  const isBlocked = meta?.blocking.some((other) => other.collection !== collection.name) === true;
  return (
    <Dialog title={question} onClose={onClose}>
      {error && <Failure error={error} />}
      {meta && (
        <>
          {meta.blocking.length > 0 ? (
            <Notice kind="warning" title={messages.deleteBlocked}>
              <AffectedList of={meta.blocking} inWords={messages.blocking} />
            </Notice>
          ) : (
            <p>{meta.isFinal ? messages.deleteFinal : messages.deleteSoft}</p>
          )}
          <AffectedList of={meta.alsoDeleted} inWords={messages.alsoDeleted} />
          <AffectedList of={meta.unlinked} inWords={messages.unlinked} />
          {!meta.isWhole && <p>{messages.deleteMore}</p>}
        </>
      )}
      <Buttons>
        <Button onClick={onClose}>{messages.cancel}</Button>
        <Button look="danger" disabled={forecast.isPending || deletion.isPending || isBlocked} onClick={deleteOnce}>
          {messages.delete}
        </Button>
      </Buttons>
    </Dialog>
  );
}

interface AffectedListProps {
  readonly of: readonly Affected[];
  readonly inWords: (count: string, collection: string) => string;
}

function AffectedList({ of, inWords }: AffectedListProps) {
  const numbers = new Intl.NumberFormat(useMessages().code);
  if (of.length === 0) return null;
  return (
    <ul>
      {of.map(({ collection, count }) => (
        <li key={collection}>
          <bdi>{inWords(numbers.format(count), collection)}</bdi>
        </li>
      ))}
    </ul>
  );
}
