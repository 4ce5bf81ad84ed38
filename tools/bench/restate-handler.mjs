// The handler of the Restate contender: does nothing, and answers with what its first caller said.
import * as http2 from "node:http2";
import * as restate from "@restatedev/restate-sdk";

const effect = restate.service({
  name: "effect",
  handlers: { perform: async (_context, claimant) => claimant },
});

const answer = restate.createEndpointHandler({ services: [effect] });
http2.createServer(answer).listen(Number(process.argv[2]), "127.0.0.1");
