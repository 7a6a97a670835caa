import { indexSampleText } from '../../../../src/trust/explain/index-sample.ts';
import { NOT_VERIFIED, verifiedText } from '../../../../src/trust/explain/verified-text.ts';
import type { StatusAnswer } from '../../api/model-and-status.ts';

export function Verified({ status }: { status: StatusAnswer }) {
  return (
    <>
      <p>{verifiedText(status, status.atMs)}.</p>
      {status.indexSample !== null && <p>{indexSampleText(status.indexSample)}.</p>}
      {status.verifiedThrough !== null && <p>Not verified: {NOT_VERIFIED.join(', ')}.</p>}
    </>
  );
}
