include $(sort $(wildcard $(BR2_EXTERNAL_PRAZO_PATH)/package/*/*.mk))
