import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Button, Buttons, Dialog, Facts, Failure, look } from '../design/controls.tsx';
import { toast } from '../design/toasts.tsx';
import { useMessages } from '../messages/index.ts';
import { isAddressable } from '../wire/agent.ts';
import styles from './log.module.css';
import { type LogList, type LogRow, logRowQuery } from './log-rows.ts';
import { factsOf, whatWasDone } from './log-words.ts';

/** As many records as a panel names. The copy has all of them. */
const mostLinks = 50;

interface RowPanelProps {
  readonly list: LogList;
  readonly id: string;
  readonly onClose: () => void;
}

/** Everything that a row says, and where it leads. */
export function RowPanel({ list: { kind, project, environment }, id, onClose }: RowPanelProps) {
  const messages = useMessages();
  const { data: row, error, refetch } = useQuery(logRowQuery({ kind, project, environment }, id));
  const copying = useMutation({
    mutationFn: () => navigator.clipboard.writeText(JSON.stringify(row, null, 2)),
    onSuccess: () => toast(messages.copied),
  });
  return (
    <Dialog title={row ? whatWasDone(row, messages) : messages.auditLog.row} onClose={onClose} isAtSide>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {copying.error && <Failure error={copying.error} />}
      {!row && !error && <p className={look.late}>{messages.loading}</p>}
      {row && <Facts facts={factsOf(row, messages)} />}
      {row && <Ways row={row} environment={environment} />}
      <Buttons>
        {row && <Button onClick={() => copying.mutate()}>{messages.auditLog.copyJson}</Button>}
        <Button onClick={onClose}>{messages.close}</Button>
      </Buttons>
    </Dialog>
  );
}

/** The records, and other rows that belong to this one. */
function Ways({ row, environment }: { readonly row: LogRow; readonly environment: string }) {
  const messages = useMessages();
  const { environment: here } = useParams({ from: '/$environment/log/$kind/{-$row}' });
  const { auditLog } = messages;
  const rows = {
    to: '/$environment/log/$kind/{-$row}',
    params: { environment: here, kind: 'activity', row: undefined },
  } as const;
  const place = environment === here ? {} : { environment };
  if (row.object === 'adminLog') return null;
  const { collection, recordIds = [], user, correlationId, approval } = row;
  const [only, ...others] = recordIds;
  return (
    <>
      {collection && environment === here && recordIds.length > 0 && (
        <nav aria-label={auditLog.records} className={styles['links']}>
          {recordIds
            .filter(isAddressable)
            .slice(0, mostLinks)
            .map((id) => (
              <Link
                key={id}
                to="/$environment/data/$collection/$id"
                params={{ environment: here, collection: collection.name, id }}
              >
                <bdi>
                  {collection.name} {id}
                </bdi>
              </Link>
            ))}
          {recordIds.length > mostLinks && <span>{auditLog.moreRecords(String(recordIds.length - mostLinks))}</span>}
        </nav>
      )}
      <nav aria-label={auditLog.row} className={styles['links']}>
        {collection && only !== undefined && others.length === 0 && (
          <Link {...rows} search={{ ...place, collectionName: collection.name, recordId: only }}>
            {auditLog.sameRecord}
          </Link>
        )}
        <Link {...rows} search={{ ...place, userEmail: user.email }}>
          {auditLog.samePerson}
        </Link>
        {correlationId != null && (
          <Link {...rows} search={{ ...place, correlationId }}>
            {auditLog.sameRequest}
          </Link>
        )}
        {approval !== undefined && environment === here && (
          <Link to="/$environment/approvals/$approval" params={{ environment: here, approval: String(approval) }}>
            {auditLog.approval}
          </Link>
        )}
      </nav>
    </>
  );
}
