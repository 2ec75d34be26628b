// What the simulated server understands of the API, as its schema defines it (names, fields and ids are the
// protocol's). Layer 143 is that of the client Debian ships, 227 that of the library we use; the text of a layer is
// what it changed.

import type { SchemaText } from './tl.ts';

const LAYER_143 = `
inputPeerEmpty#7f3b18ea = InputPeer;
inputPeerSelf#7da07ec9 = InputPeer;
inputPeerUser#dde8a54c user_id:long access_hash:long = InputPeer;
inputPeerChannel#27bcbbfc channel_id:long access_hash:long = InputPeer;
inputChannel#f35aec28 channel_id:long access_hash:long = InputChannel;
inputUserSelf#f7c1b13f = InputUser;
inputUser#f21158c6 user_id:long access_hash:long = InputUser;
inputMessageID#a676a322 id:int = InputMessage;
peerUser#59511722 user_id:long = Peer;
peerChannel#a2a5371e channel_id:long = Peer;
user#3ff6ecb0 flags:# self:flags.10?true contact:flags.11?true mutual_contact:flags.12?true
  deleted:flags.13?true bot:flags.14?true bot_chat_history:flags.15?true bot_nochats:flags.16?true
  verified:flags.17?true restricted:flags.18?true min:flags.20?true bot_inline_geo:flags.21?true
  support:flags.23?true scam:flags.24?true apply_min_photo:flags.25?true fake:flags.26?true
  bot_attach_menu:flags.27?true premium:flags.28?true attach_menu_enabled:flags.29?true id:long
  access_hash:flags.0?long first_name:flags.1?string last_name:flags.2?string
  username:flags.3?string phone:flags.4?string photo:flags.5?UserProfilePhoto
  status:flags.6?UserStatus bot_info_version:flags.14?int
  restriction_reason:flags.18?Vector<RestrictionReason> bot_inline_placeholder:flags.19?string
  lang_code:flags.22?string = User;
userEmpty#d3bc4b7a id:long = User;
userProfilePhotoEmpty#4f11bae1 = UserProfilePhoto;
chatPhotoEmpty#37c1011c = ChatPhoto;
channel#8261ac61 flags:# creator:flags.0?true left:flags.2?true broadcast:flags.5?true
  verified:flags.7?true megagroup:flags.8?true restricted:flags.9?true signatures:flags.11?true
  min:flags.12?true scam:flags.19?true has_link:flags.20?true has_geo:flags.21?true
  slowmode_enabled:flags.22?true call_active:flags.23?true call_not_empty:flags.24?true
  fake:flags.25?true gigagroup:flags.26?true noforwards:flags.27?true join_to_send:flags.28?true
  join_request:flags.29?true id:long access_hash:flags.13?long title:string
  username:flags.6?string photo:ChatPhoto date:int
  restriction_reason:flags.9?Vector<RestrictionReason> admin_rights:flags.14?ChatAdminRights
  banned_rights:flags.15?ChatBannedRights default_banned_rights:flags.18?ChatBannedRights
  participants_count:flags.17?int = Chat;
channelForbidden#17d493d5 flags:# broadcast:flags.5?true megagroup:flags.8?true id:long
  access_hash:long title:string until_date:flags.16?int = Chat;
messageEmpty#90a6ca84 flags:# id:int peer_id:flags.0?Peer = Message;
message#38116ee0 flags:# out:flags.1?true mentioned:flags.4?true media_unread:flags.5?true
  silent:flags.13?true post:flags.14?true from_scheduled:flags.18?true legacy:flags.19?true
  edit_hide:flags.21?true pinned:flags.24?true noforwards:flags.26?true id:int
  from_id:flags.8?Peer peer_id:Peer fwd_from:flags.2?MessageFwdHeader via_bot_id:flags.11?long
  reply_to:flags.3?MessageReplyHeader date:int message:string media:flags.9?MessageMedia
  reply_markup:flags.6?ReplyMarkup entities:flags.7?Vector<MessageEntity> views:flags.10?int
  forwards:flags.10?int replies:flags.23?MessageReplies edit_date:flags.15?int
  post_author:flags.16?string grouped_id:flags.17?long reactions:flags.20?MessageReactions
  restriction_reason:flags.22?Vector<RestrictionReason> ttl_period:flags.25?int = Message;
messageService#2b085862 flags:# out:flags.1?true mentioned:flags.4?true media_unread:flags.5?true
  silent:flags.13?true post:flags.14?true legacy:flags.19?true id:int from_id:flags.8?Peer
  peer_id:Peer reply_to:flags.3?MessageReplyHeader date:int action:MessageAction
  ttl_period:flags.25?int = Message;
messageActionChannelCreate#95d2ac92 title:string = MessageAction;
messageMediaPhoto#695150d7 flags:# photo:flags.0?Photo ttl_seconds:flags.2?int = MessageMedia;
messageMediaDocument#9cb070d7 flags:# nopremium:flags.3?true document:flags.0?Document
  ttl_seconds:flags.2?int = MessageMedia;
photo#fb197a65 flags:# has_stickers:flags.0?true id:long access_hash:long file_reference:bytes
  date:int sizes:Vector<PhotoSize> video_sizes:flags.1?Vector<VideoSize> dc_id:int = Photo;
photoSize#75c78e60 type:string w:int h:int size:int = PhotoSize;
document#8fd4c4d8 flags:# id:long access_hash:long file_reference:bytes date:int mime_type:string
  size:long thumbs:flags.0?Vector<PhotoSize> video_thumbs:flags.1?Vector<VideoSize> dc_id:int
  attributes:Vector<DocumentAttribute> = Document;
documentAttributeFilename#15590068 file_name:string = DocumentAttribute;
documentAttributeVideo#ef02ce6 flags:# round_message:flags.0?true supports_streaming:flags.1?true
  duration:int w:int h:int = DocumentAttribute;
messages.channelMessages#64479808 flags:# inexact:flags.1?true pts:int count:int
  offset_id_offset:flags.2?int messages:Vector<Message> chats:Vector<Chat> users:Vector<User> =
  messages.Messages;
messages.messages#8c718e87 messages:Vector<Message> chats:Vector<Chat> users:Vector<User> =
  messages.Messages;
dialog#a8edd0f5 flags:# pinned:flags.2?true unread_mark:flags.3?true peer:Peer top_message:int
  read_inbox_max_id:int read_outbox_max_id:int unread_count:int unread_mentions_count:int
  unread_reactions_count:int notify_settings:PeerNotifySettings pts:flags.0?int
  draft:flags.1?DraftMessage folder_id:flags.4?int = Dialog;
peerNotifySettings#a83b0426 flags:# show_previews:flags.0?Bool silent:flags.1?Bool
  mute_until:flags.2?int ios_sound:flags.3?NotificationSound
  android_sound:flags.4?NotificationSound other_sound:flags.5?NotificationSound =
  PeerNotifySettings;
contacts.resolvedPeer#7f077ad9 peer:Peer chats:Vector<Chat> users:Vector<User> =
  contacts.ResolvedPeer;
updates.channelDifferenceEmpty#3e11affb flags:# final:flags.0?true pts:int timeout:flags.1?int =
  updates.ChannelDifference;
updates.channelDifference#2064674e flags:# final:flags.0?true pts:int timeout:flags.1?int
  new_messages:Vector<Message> other_updates:Vector<Update> chats:Vector<Chat> users:Vector<User>
  = updates.ChannelDifference;
updates.channelDifferenceTooLong#a4bcc6fe flags:# final:flags.0?true timeout:flags.1?int
  dialog:Dialog messages:Vector<Message> chats:Vector<Chat> users:Vector<User> =
  updates.ChannelDifference;
updateEditChannelMessage#1b3f4df7 message:Message pts:int pts_count:int = Update;
updateDeleteChannelMessages#c32d5b12 channel_id:long messages:Vector<int> pts:int pts_count:int =
  Update;
channelMessagesFilterEmpty#94d42ee7 = ChannelMessagesFilter;
updates.state#a56c2a3e pts:int qts:int date:int seq:int unread_count:int = updates.State;
config#330b4067 flags:# phonecalls_enabled:flags.1?true default_p2p_contacts:flags.3?true
  preload_featured_stickers:flags.4?true ignore_phone_entities:flags.5?true
  revoke_pm_inbox:flags.6?true blocked_mode:flags.8?true pfs_enabled:flags.13?true
  force_try_ipv6:flags.14?true date:int expires:int test_mode:Bool this_dc:int
  dc_options:Vector<DcOption> dc_txt_domain_name:string chat_size_max:int megagroup_size_max:int
  forwarded_count_max:int online_update_period_ms:int offline_blur_timeout_ms:int
  offline_idle_timeout_ms:int online_cloud_timeout_ms:int notify_cloud_delay_ms:int
  notify_default_delay_ms:int push_chat_period_ms:int push_chat_limit:int saved_gifs_limit:int
  edit_time_limit:int revoke_time_limit:int revoke_pm_time_limit:int rating_e_decay:int
  stickers_recent_limit:int stickers_faved_limit:int channels_read_media_period:int
  tmp_sessions:flags.0?int pinned_dialogs_count_max:int pinned_infolder_count_max:int
  call_receive_timeout_ms:int call_ring_timeout_ms:int call_connect_timeout_ms:int
  call_packet_timeout_ms:int me_url_prefix:string autoupdate_url_prefix:flags.7?string
  gif_search_username:flags.9?string venue_search_username:flags.10?string
  img_search_username:flags.11?string static_maps_provider:flags.12?string caption_length_max:int
  message_length_max:int webfile_dc_id:int suggested_lang_code:flags.2?string
  lang_pack_version:flags.2?int base_lang_pack_version:flags.2?int = Config;
dcOption#18b7a10d flags:# ipv6:flags.0?true media_only:flags.1?true tcpo_only:flags.2?true
  cdn:flags.3?true static:flags.4?true this_port_only:flags.5?true id:int ip_address:string
  port:int secret:flags.10?bytes = DcOption;
nearestDc#8e1a1775 country:string this_dc:int nearest_dc:int = NearestDc;
codeSettings#8a6469c2 flags:# allow_flashcall:flags.0?true current_number:flags.1?true
  allow_app_hash:flags.4?true allow_missed_call:flags.5?true logout_tokens:flags.6?Vector<bytes> =
  CodeSettings;
auth.sentCode#5e002502 flags:# type:auth.SentCodeType phone_code_hash:string
  next_type:flags.1?auth.CodeType timeout:flags.2?int = auth.SentCode;
auth.sentCodeTypeApp#3dbb5986 length:int = auth.SentCodeType;
auth.authorization#33fb7bb8 flags:# setup_password_required:flags.1?true
  otherwise_relogin_days:flags.1?int tmp_sessions:flags.0?int user:User = auth.Authorization;
auth.authorizationSignUpRequired#44747e9a flags:# terms_of_service:flags.0?help.TermsOfService =
  auth.Authorization;
auth.loggedOut#c3a2835f flags:# future_auth_token:flags.0?bytes = auth.LoggedOut;
account.password#185b184f flags:# has_recovery:flags.0?true has_secure_values:flags.1?true
  has_password:flags.2?true current_algo:flags.2?PasswordKdfAlgo srp_B:flags.2?bytes
  srp_id:flags.2?long hint:flags.3?string email_unconfirmed_pattern:flags.4?string
  new_algo:PasswordKdfAlgo new_secure_algo:SecurePasswordKdfAlgo secure_random:bytes
  pending_reset_date:flags.5?int = account.Password;
passwordKdfAlgoSHA256SHA256PBKDF2HMACSHA512iter100000SHA256ModPow#3a912d4a salt1:bytes salt2:bytes
  g:int p:bytes = PasswordKdfAlgo;
passwordKdfAlgoUnknown#d45ab096 = PasswordKdfAlgo;
securePasswordKdfAlgoUnknown#4a8537 = SecurePasswordKdfAlgo;
inputCheckPasswordSRP#d27ff082 srp_id:long A:bytes M1:bytes = InputCheckPasswordSRP;
inputCheckPasswordEmpty#9880f658 = InputCheckPasswordSRP;
account.takeout#4dba4501 id:long = account.Takeout;
inputClientProxy#75588b3f address:string port:int = InputClientProxy;
jsonObject#99c1d49d value:Vector<JSONObjectValue> = JSONValue;
jsonObjectValue#c0de1bd9 key:string value:JSONValue = JSONObjectValue;
jsonNull#3f6d7b68 = JSONValue;
jsonBool#c7345e6a value:Bool = JSONValue;
jsonNumber#2be0dfa4 value:double = JSONValue;
jsonString#b71e767a value:string = JSONValue;
jsonArray#f7444763 value:Vector<JSONValue> = JSONValue;
messages.chats#64ff9fd5 chats:Vector<Chat> = messages.Chats;
inputPhotoFileLocation#40181ffe id:long access_hash:long file_reference:bytes thumb_size:string =
  InputFileLocation;
inputDocumentFileLocation#bad07584 id:long access_hash:long file_reference:bytes
  thumb_size:string = InputFileLocation;
storage.fileUnknown#aa963b05 = storage.FileType;
upload.file#96a18d5 type:storage.FileType mtime:int bytes:bytes = upload.File;

invokeAfterMsg#cb9f372d {X:Type} msg_id:long query:!X = X;
invokeWithLayer#da9b0d0d {X:Type} layer:int query:!X = X;
initConnection#c1cd5ea9 {X:Type} flags:# api_id:int device_model:string system_version:string
  app_version:string system_lang_code:string lang_pack:string lang_code:string
  proxy:flags.0?InputClientProxy params:flags.1?JSONValue query:!X = X;
invokeWithoutUpdates#bf9459b7 {X:Type} query:!X = X;
invokeWithTakeout#aca9fd2e {X:Type} takeout_id:long query:!X = X;
upload.getFile#be5335be flags:# precise:flags.0?true cdn_supported:flags.1?true
  location:InputFileLocation offset:long limit:int = upload.File;
help.getConfig#c4f9186b = Config;
help.getNearestDc#1fb33026 = NearestDc;
auth.sendCode#a677244f phone_number:string api_id:int api_hash:string settings:CodeSettings =
  auth.SentCode;
auth.signIn#bcd51581 phone_number:string phone_code_hash:string phone_code:string =
  auth.Authorization;
auth.checkPassword#d18b4d16 password:InputCheckPasswordSRP = auth.Authorization;
auth.logOut#3e72ba19 = auth.LoggedOut;
account.getPassword#548a30f5 = account.Password;
account.initTakeoutSession#8ef3eab0 flags:# contacts:flags.0?true message_users:flags.1?true
  message_chats:flags.2?true message_megagroups:flags.3?true message_channels:flags.4?true
  files:flags.5?true file_max_size:flags.5?long = account.Takeout;
account.finishTakeoutSession#1d2652ee flags:# success:flags.0?true = Bool;
users.getUsers#d91a548 id:Vector<InputUser> = Vector<User>;
updates.getState#edd4882a = updates.State;
updates.getChannelDifference#3173d78 flags:# force:flags.0?true channel:InputChannel
  filter:ChannelMessagesFilter pts:int limit:int = updates.ChannelDifference;
contacts.resolveUsername#f93ccba3 username:string = contacts.ResolvedPeer;
messages.getHistory#4423e6c5 peer:InputPeer offset_id:int offset_date:int add_offset:int limit:int
  max_id:int min_id:int hash:long = messages.Messages;
channels.getMessages#ad8c9a23 channel:InputChannel id:Vector<InputMessage> = messages.Messages;
channels.getChannels#a7f6bbb id:Vector<InputChannel> = messages.Chats;
`;

const LAYER_227 = `
user#31774388 flags:# self:flags.10?true contact:flags.11?true mutual_contact:flags.12?true
  deleted:flags.13?true bot:flags.14?true bot_chat_history:flags.15?true bot_nochats:flags.16?true
  verified:flags.17?true restricted:flags.18?true min:flags.20?true bot_inline_geo:flags.21?true
  support:flags.23?true scam:flags.24?true apply_min_photo:flags.25?true fake:flags.26?true
  bot_attach_menu:flags.27?true premium:flags.28?true attach_menu_enabled:flags.29?true flags2:#
  bot_can_edit:flags2.1?true close_friend:flags2.2?true stories_hidden:flags2.3?true
  stories_unavailable:flags2.4?true contact_require_premium:flags2.10?true
  bot_business:flags2.11?true bot_has_main_app:flags2.13?true bot_forum_view:flags2.16?true
  bot_forum_can_manage_topics:flags2.17?true bot_can_manage_bots:flags2.18?true
  bot_guestchat:flags2.19?true bot_guard:flags2.20?true id:long access_hash:flags.0?long
  first_name:flags.1?string last_name:flags.2?string username:flags.3?string phone:flags.4?string
  photo:flags.5?UserProfilePhoto status:flags.6?UserStatus bot_info_version:flags.14?int
  restriction_reason:flags.18?Vector<RestrictionReason> bot_inline_placeholder:flags.19?string
  lang_code:flags.22?string emoji_status:flags.30?EmojiStatus usernames:flags2.0?Vector<Username>
  stories_max_id:flags2.5?RecentStory color:flags2.8?PeerColor profile_color:flags2.9?PeerColor
  bot_active_users:flags2.12?int bot_verification_icon:flags2.14?long
  send_paid_messages_stars:flags2.15?long = User;
channel#1c32b11c flags:# creator:flags.0?true left:flags.2?true broadcast:flags.5?true
  verified:flags.7?true megagroup:flags.8?true restricted:flags.9?true signatures:flags.11?true
  min:flags.12?true scam:flags.19?true has_link:flags.20?true has_geo:flags.21?true
  slowmode_enabled:flags.22?true call_active:flags.23?true call_not_empty:flags.24?true
  fake:flags.25?true gigagroup:flags.26?true noforwards:flags.27?true join_to_send:flags.28?true
  join_request:flags.29?true forum:flags.30?true flags2:# stories_hidden:flags2.1?true
  stories_hidden_min:flags2.2?true stories_unavailable:flags2.3?true
  signature_profiles:flags2.12?true autotranslation:flags2.15?true
  broadcast_messages_allowed:flags2.16?true monoforum:flags2.17?true forum_tabs:flags2.19?true
  id:long access_hash:flags.13?long title:string username:flags.6?string photo:ChatPhoto date:int
  restriction_reason:flags.9?Vector<RestrictionReason> admin_rights:flags.14?ChatAdminRights
  banned_rights:flags.15?ChatBannedRights default_banned_rights:flags.18?ChatBannedRights
  participants_count:flags.17?int usernames:flags2.0?Vector<Username>
  stories_max_id:flags2.4?RecentStory color:flags2.7?PeerColor profile_color:flags2.8?PeerColor
  emoji_status:flags2.9?EmojiStatus level:flags2.10?int subscription_until_date:flags2.11?int
  bot_verification_icon:flags2.13?long send_paid_messages_stars:flags2.14?long
  linked_monoforum_id:flags2.18?long = Chat;
channelForbidden#17d493d5 flags:# broadcast:flags.5?true megagroup:flags.8?true
  monoforum:flags.10?true id:long access_hash:long title:string until_date:flags.16?int = Chat;
message#7600b9d3 flags:# out:flags.1?true mentioned:flags.4?true media_unread:flags.5?true
  silent:flags.13?true post:flags.14?true from_scheduled:flags.18?true legacy:flags.19?true
  edit_hide:flags.21?true pinned:flags.24?true noforwards:flags.26?true invert_media:flags.27?true
  flags2:# offline:flags2.1?true video_processing_pending:flags2.4?true
  paid_suggested_post_stars:flags2.8?true paid_suggested_post_ton:flags2.9?true id:int
  from_id:flags.8?Peer from_boosts_applied:flags.29?int from_rank:flags2.12?string peer_id:Peer
  saved_peer_id:flags.28?Peer fwd_from:flags.2?MessageFwdHeader via_bot_id:flags.11?long
  via_business_bot_id:flags2.0?long guestchat_via_from:flags2.19?Peer
  reply_to:flags.3?MessageReplyHeader date:int message:string media:flags.9?MessageMedia
  reply_markup:flags.6?ReplyMarkup entities:flags.7?Vector<MessageEntity> views:flags.10?int
  forwards:flags.10?int replies:flags.23?MessageReplies edit_date:flags.15?int
  post_author:flags.16?string grouped_id:flags.17?long reactions:flags.20?MessageReactions
  restriction_reason:flags.22?Vector<RestrictionReason> ttl_period:flags.25?int
  quick_reply_shortcut_id:flags.30?int effect:flags2.2?long factcheck:flags2.3?FactCheck
  report_delivery_until_date:flags2.5?int paid_message_stars:flags2.6?long
  suggested_post:flags2.7?SuggestedPost schedule_repeat_period:flags2.10?int
  summary_from_language:flags2.11?string rich_message:flags2.13?RichMessage = Message;
messageService#7a800e0a flags:# out:flags.1?true mentioned:flags.4?true media_unread:flags.5?true
  reactions_are_possible:flags.9?true silent:flags.13?true post:flags.14?true legacy:flags.19?true
  id:int from_id:flags.8?Peer peer_id:Peer saved_peer_id:flags.28?Peer
  reply_to:flags.3?MessageReplyHeader date:int action:MessageAction
  reactions:flags.20?MessageReactions ttl_period:flags.25?int = Message;
messageMediaPhoto#e216eb63 flags:# spoiler:flags.3?true live_photo:flags.4?true
  photo:flags.0?Photo ttl_seconds:flags.2?int video:flags.4?Document = MessageMedia;
messageMediaDocument#52d8ccd9 flags:# nopremium:flags.3?true spoiler:flags.4?true
  video:flags.6?true round:flags.7?true voice:flags.8?true document:flags.0?Document
  alt_documents:flags.5?Vector<Document> video_cover:flags.9?Photo video_timestamp:flags.10?int
  ttl_seconds:flags.2?int = MessageMedia;
documentAttributeVideo#43c57c48 flags:# round_message:flags.0?true supports_streaming:flags.1?true
  nosound:flags.3?true duration:double w:int h:int preload_prefix_size:flags.2?int
  video_start_ts:flags.4?double video_codec:flags.5?string = DocumentAttribute;
messages.channelMessages#c776ba4e flags:# inexact:flags.1?true pts:int count:int
  offset_id_offset:flags.2?int messages:Vector<Message> topics:Vector<ForumTopic>
  chats:Vector<Chat> users:Vector<User> = messages.Messages;
messages.messages#1d73e7ea messages:Vector<Message> topics:Vector<ForumTopic> chats:Vector<Chat>
  users:Vector<User> = messages.Messages;
dialog#fc89f7f3 flags:# pinned:flags.2?true unread_mark:flags.3?true
  view_forum_as_messages:flags.6?true peer:Peer top_message:int read_inbox_max_id:int
  read_outbox_max_id:int unread_count:int unread_mentions_count:int unread_reactions_count:int
  unread_poll_votes_count:int notify_settings:PeerNotifySettings pts:flags.0?int
  draft:flags.1?DraftMessage folder_id:flags.4?int ttl_period:flags.5?int = Dialog;
peerNotifySettings#99622c0c flags:# show_previews:flags.0?Bool silent:flags.1?Bool
  mute_until:flags.2?int ios_sound:flags.3?NotificationSound
  android_sound:flags.4?NotificationSound other_sound:flags.5?NotificationSound
  stories_muted:flags.6?Bool stories_hide_sender:flags.7?Bool
  stories_ios_sound:flags.8?NotificationSound stories_android_sound:flags.9?NotificationSound
  stories_other_sound:flags.10?NotificationSound = PeerNotifySettings;
config#cc1a241e flags:# default_p2p_contacts:flags.3?true preload_featured_stickers:flags.4?true
  revoke_pm_inbox:flags.6?true blocked_mode:flags.8?true force_try_ipv6:flags.14?true date:int
  expires:int test_mode:Bool this_dc:int dc_options:Vector<DcOption> dc_txt_domain_name:string
  chat_size_max:int megagroup_size_max:int forwarded_count_max:int online_update_period_ms:int
  offline_blur_timeout_ms:int offline_idle_timeout_ms:int online_cloud_timeout_ms:int
  notify_cloud_delay_ms:int notify_default_delay_ms:int push_chat_period_ms:int
  push_chat_limit:int edit_time_limit:int revoke_time_limit:int revoke_pm_time_limit:int
  rating_e_decay:int stickers_recent_limit:int channels_read_media_period:int
  tmp_sessions:flags.0?int call_receive_timeout_ms:int call_ring_timeout_ms:int
  call_connect_timeout_ms:int call_packet_timeout_ms:int me_url_prefix:string
  autoupdate_url_prefix:flags.7?string gif_search_username:flags.9?string
  venue_search_username:flags.10?string img_search_username:flags.11?string
  static_maps_provider:flags.12?string caption_length_max:int message_length_max:int
  webfile_dc_id:int suggested_lang_code:flags.2?string lang_pack_version:flags.2?int
  base_lang_pack_version:flags.2?int reactions_default:flags.15?Reaction
  autologin_token:flags.16?string = Config;
codeSettings#ad253d78 flags:# allow_flashcall:flags.0?true current_number:flags.1?true
  allow_app_hash:flags.4?true allow_missed_call:flags.5?true allow_firebase:flags.7?true
  unknown_number:flags.9?true logout_tokens:flags.6?Vector<bytes> token:flags.8?string
  app_sandbox:flags.8?Bool = CodeSettings;
auth.authorization#2ea2c0d4 flags:# setup_password_required:flags.1?true
  otherwise_relogin_days:flags.1?int tmp_sessions:flags.0?int future_auth_token:flags.2?bytes
  user:User = auth.Authorization;
account.password#957b50fb flags:# has_recovery:flags.0?true has_secure_values:flags.1?true
  has_password:flags.2?true current_algo:flags.2?PasswordKdfAlgo srp_B:flags.2?bytes
  srp_id:flags.2?long hint:flags.3?string email_unconfirmed_pattern:flags.4?string
  new_algo:PasswordKdfAlgo new_secure_algo:SecurePasswordKdfAlgo secure_random:bytes
  pending_reset_date:flags.5?int login_email_pattern:flags.6?string = account.Password;

auth.signIn#8d52a951 flags:# phone_number:string phone_code_hash:string phone_code:flags.0?string
  email_verification:flags.1?EmailVerification = auth.Authorization;
contacts.resolveUsername#725afbbc flags:# username:string referer:flags.0?string =
  contacts.ResolvedPeer;
`;

export const API_SCHEMA: readonly SchemaText[] = [
  { layer: 143, text: LAYER_143 },
  { layer: 227, text: LAYER_227 },
];
