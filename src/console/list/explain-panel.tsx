import { useQuery } from '@tanstack/react-query';
import { Button, Buttons, Dialog, Failure, look } from '../design/controls.tsx';
import { CopyButtons } from '../design/copy-buttons.tsx';
import { listRequest } from '../grid/list-request.ts';
import type { RowSource } from '../grid/use-rows.ts';
import { useMessages } from '../messages/index.ts';
import { copiesOf } from '../model/copied-requests.ts';
import { askAgent } from '../wire/agent.ts';
import { projection } from '../wire/records.ts';
import styles from './list.module.css';

interface Explained {
  readonly steps: readonly {
    readonly place: 'database' | 'agent';
    readonly what: string;
    readonly why?: string;
    readonly bound?: string;
  }[];
  /** For administrators and developers. */
  readonly statement?: {
    readonly sql: string;
    readonly steps: readonly string[];
    readonly servers?: readonly string[];
  };
}

/** Why a list shows what it shows: what runs in the database, what in the agent, and the same request for other programs. */
export function ExplainPanel({ source, onClose }: { readonly source: RowSource; readonly onClose: () => void }) {
  const messages = useMessages();
  const { agent, path, parameters, paths, collection } = source;
  const explained = useQuery({
    queryKey: ['explain', agent.environment, path, parameters, paths],
    queryFn: ({ signal }) =>
      askAgent<Explained>(agent, ['_internal', 'explain', collection], parameters, {
        signal,
        headers: projection(paths),
      }),
    gcTime: 0,
  });
  const request = listRequest(source);
  return (
    <Dialog title={`${messages.explain}: ${collection}`} onClose={onClose} isAtSide>
      {explained.error && <Failure error={explained.error} />}
      {explained.data === undefined ? (
        !explained.error && <p className={look.small}>{messages.loading}</p>
      ) : (
        <Steps explained={explained.data} />
      )}
      <Buttons>
        <CopyButtons {...copiesOf(request)} />
        <Button onClick={onClose}>{messages.close}</Button>
      </Buttons>
    </Dialog>
  );
}

/** What happens where, in order, and for developers the statement and the plan of the database. */
function Steps({ explained: { steps, statement } }: { readonly explained: Explained }) {
  const messages = useMessages();
  return (
    <>
      <ol className={styles['steps']}>
        {steps.map(({ place, what, why, bound }) => (
          <li key={`${place} ${what}`}>
            <strong>{messages.places[place]}</strong> {what}
            {why && <p className={look.small}>{why}</p>}
            {bound && <p className={look.small}>{bound}</p>}
          </li>
        ))}
      </ol>
      {statement && (
        <>
          <h3>{messages.statement}</h3>
          <pre>{statement.sql}</pre>
          <h3>{messages.plan}</h3>
          <pre>{statement.steps.join('\n')}</pre>
          {statement.servers && (
            <>
              <h3>{messages.servers}</h3>
              <pre>{statement.servers.join('\n')}</pre>
            </>
          )}
        </>
      )}
    </>
  );
}
