import { useQuery } from '@tanstack/react-query';
import { Button, Buttons, Dialog, look } from '../design/controls.tsx';
import { CopyButtons } from '../design/copy-buttons.tsx';
import { useMessages } from '../messages/index.ts';
import { asCurl, copiesOf } from '../model/copied-requests.ts';
import { screenRequests } from '../model/screen-requests.ts';

/** Every request of the screen, for other programs. */
export function CopyDialog({ onClose }: { readonly onClose: () => void }) {
  const messages = useMessages();
  const asked = useQuery({ queryKey: ['requests of the screen'], queryFn: screenRequests, gcTime: 0 });
  const requests = asked.data ?? [];
  return (
    <Dialog title={messages.copyRequests} onClose={onClose} isAtSide>
      {asked.data?.length === 0 && <p>{messages.noMatch}</p>}
      {requests.map((request) => (
        <section key={asCurl(request)} aria-label={request.label}>
          <h3>
            <bdi>{request.label}</bdi>
          </h3>
          <pre>{asCurl(request)}</pre>
          <div className={look.row}>
            <CopyButtons {...copiesOf(request)} />
          </div>
        </section>
      ))}
      <Buttons>
        <Button onClick={onClose}>{messages.close}</Button>
      </Buttons>
    </Dialog>
  );
}
