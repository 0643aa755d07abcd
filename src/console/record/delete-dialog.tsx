import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ActionTarget } from '../action/action-target.ts';
import { Button, Buttons, Dialog, Failure } from '../design/controls.tsx';
import { toast } from '../design/toasts.tsx';
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

/** What a deletion would do, as the server says it without doing it. */
interface Forecast {
  readonly meta: {
    readonly records: number;
    readonly isFinal: boolean;
    readonly alsoDeleted: readonly { readonly collection: string; readonly count: number }[];
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
  });
  const deleteOnce = useOnce(() => deletion.mutateAsync());
  const { meta } = forecast.data ?? {};
  const count = meta?.records ?? target.size;
  const question = title
    ? messages.deleteTitle(title)
    : messages.deleteMany(count === undefined ? '…' : numbers.format(count));
  const error = deletion.error ?? forecast.error;
  return (
    <Dialog title={question} onClose={onClose}>
      {error && <Failure error={error} />}
      {meta && (
        <>
          <p>{meta.isFinal ? messages.deleteFinal : messages.deleteSoft}</p>
          <ul>
            {meta.alsoDeleted.map((along) => (
              <li key={along.collection}>{messages.alsoDeleted(numbers.format(along.count), along.collection)}</li>
            ))}
          </ul>
        </>
      )}
      <Buttons>
        <Button onClick={onClose}>{messages.cancel}</Button>
        <Button look="danger" disabled={forecast.isPending || deletion.isPending} onClick={deleteOnce}>
          {messages.delete}
        </Button>
      </Buttons>
    </Dialog>
  );
}
