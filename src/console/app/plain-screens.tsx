import { type ErrorComponentProps, useParams, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Button, Empty, Failure, Notice } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { announceSignIn } from '../wire/session.ts';

/** Nobody gave the person a collection to see. */
export function EmptyScreen() {
  const messages = useMessages();
  const { environment } = useParams({ from: '/$environment' });
  return <Empty title={messages.noCollections} why={messages.noCollectionsWhy(environment)} />;
}

export function MissingScreen() {
  return <Empty title={useMessages().notFound} />;
}

/** Where the window of the sign-in ends: the page that opened it goes on. */
export function SignedInScreen() {
  const messages = useMessages();
  useEffect(() => {
    announceSignIn();
    window.close();
  }, []);
  return <Empty title={messages.signedIn} />;
}

/** What kept a screen from being shown. A part of the console that an upgrade has removed asks for a reload. */
export function ErrorScreen({ error: thrown, reset }: ErrorComponentProps) {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const messages = useMessages();
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  if (isMissingPart(error)) {
    return (
      <Notice title={messages.newVersion} kind="warning">
        <div>
          <Button onClick={() => location.reload()}>{messages.reload}</Button>
        </div>
      </Notice>
    );
  }
  return <Failure error={error} onRetry={retry} />;
}

/** Browsers say it each in their own words; all of them name the import. */
function isMissingPart({ message }: Error): boolean {
  return /dynamically imported module|importing a module script/i.test(message);
}
