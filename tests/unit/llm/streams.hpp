// SPDX-License-Identifier: Apache-2.0
// Replies of the three wires, as servers send them: "Hello" with 11 prompt tokens, 4 of them cached.
#pragma once

#include <string>

namespace kgb::llm {

inline const std::string kChatStream =
    R"(data: {"id":"c1","object":"chat.completion.chunk","model":"m-1","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}

data: {"model":"m-1","choices":[{"index":0,"delta":{"reasoning_content":"Hm."},"finish_reason":null}]}

data: {"model":"m-1","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}

: keep-alive

data: {"model":"m-1","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}],"error":null}

data: {"model":"m-1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

data: {"model":"m-1","choices":[],"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":3}}}

data: [DONE]

)";

inline const std::string kChatDocument =
    R"({"id":"c1","model":"m-1","choices":[{"index":0,"message":{"role":"assistant","content":"Hello","reasoning_content":"Hm."},"finish_reason":"stop"}],"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":3}}})";

inline const std::string kResponsesStream =
    R"(event: response.created
data: {"type":"response.created","response":{"id":"r1","model":"m-1","status":"in_progress","error":null,"output":[],"usage":null}}

event: response.reasoning_summary_text.delta
data: {"type":"response.reasoning_summary_text.delta","delta":"Hm."}

event: response.output_text.delta
data: {"type":"response.output_text.delta","item_id":"i","delta":"Hel"}

event: response.output_text.delta
data: {"type":"response.output_text.delta","item_id":"i","delta":"lo"}

event: response.output_text.done
data: {"type":"response.output_text.done","text":"Hello"}

event: response.completed
data: {"type":"response.completed","response":{"id":"r1","model":"m-1","status":"completed","error":null,"output":[{"type":"message","content":[{"type":"output_text","text":"Hello"}]}],"usage":{"input_tokens":11,"input_tokens_details":{"cached_tokens":4},"output_tokens":7,"output_tokens_details":{"reasoning_tokens":3},"total_tokens":18}}}

)";

inline const std::string kResponsesDocument =
    R"({"id":"r1","object":"response","model":"m-1","status":"completed","error":null,"output":[{"type":"reasoning","summary":[{"type":"summary_text","text":"Hm."}]},{"type":"message","content":[{"type":"output_text","text":"Hello"}]}],"usage":{"input_tokens":11,"input_tokens_details":{"cached_tokens":4},"output_tokens":7,"output_tokens_details":{"reasoning_tokens":3},"total_tokens":18}})";

inline const std::string kAnthropicStream =
    R"(event: message_start
data: {"type":"message_start","message":{"id":"a1","role":"assistant","content":[],"model":"m-1","stop_reason":null,"usage":{"input_tokens":5,"cache_creation_input_tokens":2,"cache_read_input_tokens":4,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm."}}

event: ping
data: {"type":"ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Hel"}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"lo"}}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":7}}

event: message_stop
data: {"type":"message_stop"}

)";

inline const std::string kAnthropicDocument =
    R"({"id":"a1","type":"message","role":"assistant","model":"m-1","content":[{"type":"thinking","thinking":"Hm.","signature":"s"},{"type":"text","text":"Hello"}],"stop_reason":"end_turn","usage":{"input_tokens":5,"cache_creation_input_tokens":2,"cache_read_input_tokens":4,"output_tokens":7}})";

}  // namespace kgb::llm
