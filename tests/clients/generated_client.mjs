// A program that uses the client which @hey-api/openapi-ts has generated, in this folder.
import { randomUUID } from "node:crypto";
import { client } from "./generated/client.gen.ts";
import { accountGet, projectList, reviewApprove, reviewGet, reviewList } from "./generated/index.ts";

const { LOCALIZATION_BASE_URL: baseUrl, LOCALIZATION_TOKEN: token } = process.env;
client.setConfig({ baseUrl, throwOnError: true, auth: (auth) => (auth.scheme === "bearer" ? token : undefined) });

async function read(list) {
  let cursor;
  do {
    const { data } = await list({ query: { limit: 100, cursor } });
    cursor = data.data.nextCursor ?? undefined;
  } while (cursor);
}

await accountGet();
await read(projectList);
await read(reviewList);
for (const reviewId of process.env.LOCALIZATION_REVIEW_IDS.split(" ")) {
  const { data } = await reviewGet({ path: { reviewId } });
  const body = { expectedSubjectRevision: data.data.subjectRevision, idempotencyKey: randomUUID() };
  await reviewApprove({ path: { reviewId }, body });
}
